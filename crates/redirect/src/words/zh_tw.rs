//! The pages in Traditional Chinese.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "需要密碼",
    enter_password: "此連結受密碼保護。請輸入密碼以繼續。",
    password: "密碼",
    wrong_password: "密碼錯誤",
    go_on: "繼續",
    unsafe_link: "連結可能不安全",
    trust_it: "此連結指向的網址已被標示為可能不安全。請僅在您信任該網址時繼續。",
    go_back: "返回",
    welcome: "此伺服器提供短網址服務。",
    no_link: Message {
        title: "找不到連結",
        text: "此網址沒有對應的連結。請檢查輸入是否正確。",
    },
    expired: Message {
        title: "連結已過期",
        text: "此連結已失效。",
    },
    no_page: Message {
        title: "找不到頁面",
        text: "此網址沒有對應的頁面。",
    },
    too_many_attempts: Message {
        title: "嘗試次數過多",
        text: "請稍候再試。",
    },
    failed: Message {
        title: "發生錯誤",
        text: "伺服器無法回應。請稍後再試。",
    },
};
