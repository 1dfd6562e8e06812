INSERT INTO urls (id, short_url, long_url, hits, expiry_time, notes) VALUES (1, 'one', 'https://example.com/1', 5, NULL, 'a"b''c\d\n	e
f   😀 ü 􏿿'), (2, 'two', 'https://example.com/2', 0, 2000000000, NULL), (3, 'old', 'https://example.com/3', 0, 0, '');
