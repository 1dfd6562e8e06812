//! An assertion about the form of a value.

/// Panics with the value unless it has the form. The standard library's macro is not stable.
#[macro_export]
macro_rules! assert_matches {
    ($value:expr, $form:pat $(if $guard:expr)? $(, $($context:tt)+)?) => {
        match $value {
            $form $(if $guard)? => {}
            ref other => {
                let context = String::new() $(+ &format!($($context)+))?;
                panic!("{other:?} is not {}; {context}", stringify!($form))
            }
        }
    };
}
