//! The pages in Vietnamese.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Cần có mật khẩu",
    enter_password: "Liên kết này được bảo vệ. Hãy nhập mật khẩu để tiếp tục.",
    password: "Mật khẩu",
    wrong_password: "Mật khẩu không đúng",
    go_on: "Tiếp tục",
    unsafe_link: "Liên kết có thể không an toàn",
    trust_it: "Địa chỉ đích của liên kết này đã bị đánh dấu là có thể không an toàn. Chỉ tiếp tục nếu bạn tin tưởng địa chỉ đó.",
    go_back: "Quay lại",
    welcome: "Máy chủ này rút gọn liên kết.",
    no_link: Message {
        title: "Không tìm thấy liên kết",
        text: "Không có liên kết nào tại địa chỉ này. Hãy kiểm tra xem bạn đã nhập đúng chưa.",
    },
    expired: Message {
        title: "Liên kết đã hết hạn",
        text: "Liên kết này không còn hiệu lực.",
    },
    no_page: Message {
        title: "Không tìm thấy trang",
        text: "Không có trang nào tại địa chỉ này.",
    },
    too_many_attempts: Message {
        title: "Quá nhiều lần thử",
        text: "Hãy đợi một lát rồi thử lại.",
    },
    failed: Message {
        title: "Đã xảy ra lỗi",
        text: "Máy chủ không thể trả lời. Hãy thử lại sau.",
    },
};
