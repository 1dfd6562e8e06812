//! The pages in Indonesian.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Kata Sandi Diperlukan",
    enter_password: "Tautan ini dilindungi. Masukkan kata sandinya untuk melanjutkan.",
    password: "Kata sandi",
    wrong_password: "Kata sandi salah",
    go_on: "Lanjutkan",
    unsafe_link: "Tautan Berpotensi Tidak Aman",
    trust_it: "Alamat di balik tautan ini ditandai berpotensi tidak aman. Lanjutkan hanya jika Anda memercayainya.",
    go_back: "Kembali",
    welcome: "Server ini memendekkan tautan.",
    no_link: Message {
        title: "Tautan tidak ditemukan",
        text: "Tidak ada tautan di alamat ini. Periksa kembali ejaannya.",
    },
    expired: Message {
        title: "Tautan kedaluwarsa",
        text: "Tautan ini sudah tidak berlaku.",
    },
    no_page: Message {
        title: "Halaman tidak ditemukan",
        text: "Tidak ada halaman di alamat ini.",
    },
    too_many_attempts: Message {
        title: "Terlalu banyak percobaan",
        text: "Tunggu sebentar, lalu coba lagi.",
    },
    failed: Message {
        title: "Terjadi kesalahan",
        text: "Server tidak dapat menjawab. Coba lagi nanti.",
    },
};
