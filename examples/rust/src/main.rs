// Keep the positive numbers of an array, in Rust.
//
// SPDX-License-Identifier: Apache-2.0
mod bindings;

use bindings::*;
use std::ffi::CStr;
use std::mem::size_of;
use std::ptr::null_mut;

// A context of the host, which ends with its owner.
struct Host(*mut winnow_context);

impl Drop for Host {
    fn drop(&mut self) {
        unsafe { winnow_context_destroy(self.0) }
    }
}

struct Predicate(*mut winnow_predicate);

impl Drop for Predicate {
    fn drop(&mut self) {
        unsafe { winnow_predicate_destroy(self.0) }
    }
}

fn check(status: winnow_status) -> Result<(), String> {
    if status == winnow_status_WINNOW_OK {
        return Ok(());
    }
    let detail = unsafe { CStr::from_ptr(winnow_last_error()) };
    Err(detail.to_string_lossy().into_owned())
}

impl Host {
    fn new() -> Result<Host, String> {
        let mut context = null_mut();
        check(unsafe { winnow_context_create(&mut context, WINNOW_DEVICE_HOST) })?;
        Ok(Host(context))
    }

    fn filter(&self, keep: &Predicate, input: &[i32]) -> Result<Vec<i32>, String> {
        let mut out = vec![0; input.len()];
        let mut count = 0;
        let mut launch: winnow_launch = unsafe { std::mem::zeroed() };
        check(unsafe { winnow_launch_init(&mut launch, size_of::<winnow_launch>() as _) })?;
        launch.order = winnow_order_WINNOW_STABLE;
        check(unsafe {
            winnow_copy_if(
                self.0,
                keep.0,
                winnow_type_WINNOW_INT32,
                input.as_ptr().cast(),
                input.len() as u64,
                out.as_mut_ptr().cast(),
                winnow_no_limit(),
                &mut count,
                &launch,
            )
        })?;
        out.truncate(count as usize);
        Ok(out)
    }
}

impl Predicate {
    fn above(value: i32) -> Result<Predicate, String> {
        let mut predicate = null_mut();
        check(unsafe {
            winnow_predicate_compare(
                &mut predicate,
                winnow_type_WINNOW_INT32,
                winnow_compare_WINNOW_GT,
                (&value as *const i32).cast(),
            )
        })?;
        Ok(Predicate(predicate))
    }
}

fn main() -> Result<(), String> {
    let kept = Host::new()?.filter(&Predicate::above(0)?, &[3, -1, 4, -1, 5, -9, 2, 6])?;
    println!("{kept:?}");
    Ok(())
}

// Beside them there are bindgen's own, of the layout of each struct.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_is_positive() {
        let host = Host::new().unwrap();
        let positive = Predicate::above(0).unwrap();
        assert_eq!(host.filter(&positive, &[3, -1, 4, -9, 6]).unwrap(), [3, 4, 6]);
        assert_eq!(host.filter(&positive, &[]).unwrap(), []);
    }

    #[test]
    fn says_what_is_wrong() {
        let mut count = 0;
        let positive = Predicate::above(0).unwrap();
        let status = unsafe {
            winnow_count_if(
                Host::new().unwrap().0,
                positive.0,
                winnow_type_WINNOW_FLOAT32,
                [1f32].as_ptr().cast(),
                1,
                &mut count,
                std::ptr::null(),
            )
        };
        assert_eq!(status, winnow_status_WINNOW_ERR_ARGUMENT);
        assert!(check(status).unwrap_err().contains("type"));
        assert_eq!(unsafe { winnow_no_index() }, u64::MAX);
    }
}
