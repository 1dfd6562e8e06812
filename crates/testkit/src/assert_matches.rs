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

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "Some(1) is not Some(2) | None; of 3")]
    fn another_form_panics() {
        crate::assert_matches!(Some(1), Some(1), "fine");
        crate::assert_matches!(Some(1), Some(2) | None, "of {}", 3);
    }
}
