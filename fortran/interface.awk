# Write the Fortran module of the C headers: constants, structs, and an
# interface of every function, by what Fortran 2018 says of C.
#
#   awk -f interface.awk winnow.h winnow/arrow.h >winnow.f90
#   awk -v module=winnow_mpi -f interface.awk winnow.h winnow_mpi.h >winnow_mpi.f90
#
# Of a module over `winnow` there is what the header of its name has; those before
# it have types.
#
# What it does not know it refuses, with the line: a type is then to be added to
# the tables below.
#
# SPDX-License-Identifier: Apache-2.0

BEGIN {
    if (module == "")
        module = "winnow"
    kind["int"] = kind["unsigned"] = "integer(c_int)"
    kind["uint8_t"] = "integer(c_int8_t)"
    kind["int32_t"] = kind["uint32_t"] = "integer(c_int32_t)"
    kind["int64_t"] = kind["uint64_t"] = "integer(c_int64_t)"
    kind["size_t"] = "integer(c_size_t)"
    kind["double"] = "real(c_double)"
    kind["winnow_stream"] = "type(c_ptr)"
    kind["MPI_Fint"] = "integer(c_int)" # the default kind: that of handles
    # One value, where other pointers to anything are arrays.
    split("value low high fill", list, " ")
    for (i in list)
        one_value[list[i]] = 1
    # Several structs, where other pointers to a struct are to one.
    split("columns moves values sums fields texts parameters inputs outputs files aggregates d_results partials firsts", list, " ")
    for (i in list)
        several[list[i]] = 1
}

function refuse(what) {
    print FILENAME ":" FNR ": " what >"/dev/stderr"
    failed = 1
    exit 1
}
function trim(text) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}
# Split "const void *d_in" into type and name.
function declare(text) {
    text = trim(text)
    name = text
    sub(/^.*[ *]/, "", name)
    type = trim(substr(text, 1, length(text) - length(name)))
    bounds = ""
    if (match(name, /\[[0-9]+\]$/)) {
        bounds = "(" substr(name, RSTART + 1, RLENGTH - 2) ")"
        name = substr(name, 1, RSTART - 1)
    }
}

# ------------------------------------------------- constants and structs

function constant(name, value) {
    sub(/u$/, "", value)
    constants = constants "    integer(c_int), parameter :: " name " = " value \
        "\n"
}
function enumeration(text, list, number, i, part) {
    number = split(text, list, ",")
    for (i = 1; i <= number; i++) {
        split(list[i], part, "=")
        if (trim(list[i]) != "")
            constant(trim(part[1]), trim(part[2]))
    }
}
function member(text, initial) {
    declare(text)
    base_of_member = type
    sub(/ ?\*$/, "", base_of_member)
    if (base_of_member in functions_of) {
        initial = "c_null_funptr"
        type = "type(c_funptr)"
    } else if (type ~ /\*$/ || type == "winnow_stream") {
        initial = "c_null_ptr"
        type = "type(c_ptr)"
    } else if (type in structs) {
        initial = ""
        type = "type(" type ")"
    } else if (type in kind) {
        initial = kind[type] ~ /^real/ ? "0.0_c_double" : "0"
        type = kind[type]
    } else
        refuse("a member of an unknown type: " text)
    return "        " type " :: " name bounds \
        (initial == "" ? "" : " = " initial) "\n"
}
function structure(name, text, list, number, i) {
    structs[name] = 1
    types = types "\n    type, bind(C) :: " name "\n"
    number = split(text, list, ";")
    for (i = 1; i <= number; i++)
        if (trim(list[i]) != "")
            types = types member(list[i])
    types = types "    end type\n"
}
# Fortran has none: the first member stands for all.
function a_union(name, text, list) {
    split(text, list, ";")
    structure(name, list[1])
}

# ----------------------------------------------------------------- functions

function argument(text, constness, base, optional) {
    declare(text)
    if (type !~ /\*$/) {
        if (!(type in kind))
            refuse("an argument of an unknown type: " text)
        return kind[type] ", value :: " name
    }
    if (type == "const void *const *") # addresses
        return "type(c_ptr), intent(in) :: " name "(*)"
    constness = type ~ /^const / ? "intent(in)" : "intent(inout)"
    base = type
    sub(/^const /, "", base)
    sub(/ ?\*+$/, "", base)
    optional = name ~ /^(arrivals|d_.*|launch|options|values|path|directory|fill|text|texts|moves|columns|parameters|first_p|total_p|from_offsets|neighbours)$/ \
        ? ", optional" : ""
    if (type ~ /\*\*$/)
        return "type(c_ptr), intent(out) :: " name
    if (of_function == "winnow_mpi_exchange" && name == "n_p")
        optional = ", optional"
    if (base == "char")
        return "character(kind=c_char), " constness optional " :: " name "(*)"
    if (base == "void")
        return "type(*), " constness optional " :: " name \
            (name in one_value ? "" : "(*)")
    # A target: the struct may hold the address of what the call writes, which
    # gfortran else takes for unchanged.
    if (base in structs)
        return "type(" base "), target, " constness optional " :: " name \
            (name in several ? "(*)" : "")
    if (base in functions_of)
        return "type(c_funptr), value :: " name
    if (base in opaque || base ~ /^struct Arrow/)
        return "type(c_ptr), value :: " name
    if (base in kind)
        return kind[base] ", " (name ~ /_p$/ ? "intent(out)" : constness) \
            optional " :: " name (name ~ /s$/ ? "(*)" : "")
    refuse("an argument of an unknown type: " text)
}
function result(type) {
    if (type == "void")
        return ""
    if (type ~ /^const char ?\*$/)
        return "type(c_ptr)"
    if (type in kind)
        return kind[type]
    refuse("a result of an unknown type: " type)
}
# Words, in lines of at most 80 columns.
function folded(indent, words, list, number, i, line, text) {
    number = split(words, list, " ")
    line = indent list[1]
    for (i = 2; i <= number; i++) {
        if (length(line) + length(list[i]) > 76) {
            text = text line " &\n"
            line = indent "    " list[i]
        } else
            line = line " " list[i]
    }
    return text line "\n"
}
function prototype(text, list, number, i, what, name_of, bound, returns, names, \
    body) {
    text = trim(text)
    sub(/^WINNOW_API(_CHECKED)? /, "", text)
    list_text = text
    sub(/^[^(]*\(/, "", list_text)
    sub(/\) ?;.*$/, "", list_text)
    sub(/\(.*/, "", text)
    declare(text)
    name_of = bound = name
    # A communicator of C's: what takes a handle of Fortran's has the name.
    if (list_text ~ /MPI_Comm /) {
        of_c[name_of] = 1
        return
    }
    if (list_text ~ /MPI_Fint /) {
        sub(/_f$/, "", name_of)
        delete of_c[name_of]
    }
    of_function = name_of
    returns = result(type)
    number = list_text == "void" ? 0 : split(list_text, list, ",")
    for (i = 1; i <= number; i++) {
        body = body folded("            ", argument(list[i]))
        names = names (i > 1 ? ", " : "") name
    }
    what = returns == "" ? "subroutine" : "function"
    interfaces = interfaces "\n" folded("        ", what " " name_of "(" names \
        ") bind(C" (bound != name_of ? ", name=\"" bound "\"" : "") ")") \
        "            import\n" body
    if (returns != "")
        interfaces = interfaces "            " returns " :: " name_of "\n"
    interfaces = interfaces "        end " what "\n"
    functions++
}

# ------------------------------------------------------------------- reading

FNR == 1 && FILENAME ~ "(^|/)" module "[.]h$" {
    constants = types = interfaces = ""
    functions = 0
}
{
    line = $0
    if (in_comment) {
        if (!sub(/^.*\*\//, "", line))
            next
        in_comment = 0
    }
    while (match(line, /\/\*/)) {
        rest = substr(line, RSTART + 2)
        line = substr(line, 1, RSTART - 1)
        if (match(rest, /\*\//))
            line = line substr(rest, RSTART + 2)
        else
            in_comment = 1
    }
}
line ~ /^#define WINNOW_[A-Z_]+ +\(?-?[0-9]+u?\)?$/ {
    split(line, word, " ")
    gsub(/[()]/, "", word[3])
    constant(word[2], word[3])
}
line ~ /^#/ { next }
line ~ /^typedef struct winnow_[a-z_]+ winnow_[a-z_]+;/ {
    split(line, word, " ")
    opaque[word[3]] = 1
    next
}
line ~ /^typedef int winnow_[a-z_]+\(/ { # of a function of the caller's
    name_of_type = line
    sub(/^typedef int /, "", name_of_type)
    sub(/\(.*/, "", name_of_type)
    functions_of[name_of_type] = 1
    in_function_type = 1
}
in_function_type {
    in_function_type = line !~ /;/
    next
}
line ~ /^typedef (enum|struct|union) winnow_[a-z_]+ \{/ {
    split(line, word, " ")
    what = word[2]
    name_of_type = word[3]
    body_of_type = ""
    next
}
what != "" && line ~ /^\}/ {
    if (what == "enum") {
        kind[name_of_type] = "integer(c_int)"
        enumeration(body_of_type)
    } else if (what == "struct")
        structure(name_of_type, body_of_type)
    else
        a_union(name_of_type, body_of_type)
    what = ""
    next
}
what != "" {
    body_of_type = body_of_type line "\n"
    next
}
line ~ /^WINNOW_API/ { in_prototype = 1 }
in_prototype {
    prototype_text = prototype_text " " line
    if (line ~ /;/) {
        prototype(prototype_text)
        prototype_text = ""
        in_prototype = 0
    }
}

END {
    if (failed)
        exit 1
    over_winnow = module != "winnow"
    if (functions < (over_winnow ? 5 : 60))
        refuse("found " functions + 0 " functions")
    for (name in of_c)
        refuse(name "() takes a communicator of C, and there is no " name "_f()")
    print over_winnow ? "! winnow on the ranks of MPI, from Fortran 2018." : \
        "! winnow: filter arrays on a GPU, from Fortran 2018."
    print "!"
    print "! SPDX-License-Identifier: Apache-2.0"
    print "!"
    print "! Made from " (over_winnow ? module ".h" : \
        "winnow.h and winnow/arrow.h") ". winnow_fortran(7) is the manual."
    print "module " module
    print over_winnow ? "    use winnow" : \
        "    use, intrinsic :: iso_c_binding"
    print "    implicit none"
    print "    public"
    print ""
    printf "%s%s\n    interface", constants, types
    printf "%s    end interface\n", interfaces
    while (helpers != "" && (getline line < helpers) > 0)
        print line
    print "end module"
}
