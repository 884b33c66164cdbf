# SPDX-License-Identifier: Apache-2.0
from typing import Any

copy_if_cpu: Any
copy_if_cuda: Any
expand_cpu: Any
expand_cuda: Any
