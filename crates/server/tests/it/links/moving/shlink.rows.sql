INSERT INTO domains (id, authority) VALUES (1, 'go.example'), (2, 'gone.example');
INSERT INTO short_urls (id, original_url, short_code, date_created, valid_since, valid_until, max_visits, domain_id, title, crawlable, forward_query) VALUES
(1, 'https://example.com/1', 'one', '2023-11-14 23:13:20', NULL, NULL, NULL, NULL, NULL, '0', '1'),
(2, 'https://example.com/?q="%0A&e=😀', 'two-words', '2023-11-14 23:13:20', '2024-01-01 00:00:00', '2034-01-01 00:00:00', 3, NULL, 'a"b''c\d\n	e
f   😀 ü 􏿿', '1', '0'),
(3, 'https://example.com/3', 'one', '2023-11-14 23:13:20', NULL, NULL, NULL, 1, NULL, '0', '1'),
(4, 'https://example.com/4', 'multi/segment', '2023-11-14 23:13:20', NULL, NULL, NULL, NULL, NULL, '0', '1'),
(5, 'https://example.com/5', 'ONE', '2023-11-14 23:13:20', NULL, NULL, NULL, NULL, NULL, '0', '1'),
(6, 'https://example.com/6', 'lost', '2023-11-14 23:13:20', NULL, NULL, NULL, 2, NULL, '0', '1'),
(7, 'javascript:alert(1)', 'bad', '2023-11-14 23:13:20', NULL, NULL, NULL, NULL, NULL, '0', '1'),
(20, 'https://example.com/20', 'ruled', '2023-11-14 23:13:20', NULL, NULL, NULL, NULL, NULL, '0', '1');
INSERT INTO tags (id, name) VALUES (1, 'News'), (2, '😀 "x"'), (3, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'), (4, 'd'), (5, 'e'), (6, 'f'), (7, 'g'), (8, 'h'), (9, 'i'), (10, 'j'), (11, 'k'), (12, 'l');
INSERT INTO short_urls_in_tags (short_url_id, tag_id) VALUES (1, 1), (1, 2), (20, 4), (2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (2, 8), (2, 9), (2, 10), (2, 11), (2, 12);
INSERT INTO visits (date, user_agent, short_url_id, type) VALUES ('2024-01-01 00:00:00', '', 1, 'valid_short_url'), ('2024-01-01 00:00:00', '', 1, 'valid_short_url'), ('2024-01-01 00:00:00', '', 2, 'valid_short_url'), ('2024-01-01 00:00:00', '', NULL, 'base_url');
INSERT INTO short_url_redirect_rules (id, priority, long_url, short_url_id) VALUES (1, 2, 'https://example.com/second', 20), (2, 1, 'https://example.com/first', 20), (3, 3, 'https://example.com/never', 20), (4, 4, 'https://example.com/net', 20);
INSERT INTO redirect_conditions (id, type, match_key, match_value) VALUES (1, 'device', NULL, 'android'), (2, 'language', NULL, 'de'), (3, 'query-param', 'ref', 'p"1'), (4, 'any-value-query-param', NULL, 'any'), (5, 'device', NULL, 'ios'), (6, 'device', NULL, 'mobile'), (7, 'ip-address', NULL, '10.1.*.*'), (8, 'geolocation-country-code', NULL, 'AT'), (9, 'before-date', NULL, '2030-01-01T00:00:00+00:00');
INSERT INTO redirect_conditions_in_short_url_redirect_rules (short_url_redirect_rule_id, redirect_condition_id) VALUES (2, 1), (2, 2), (1, 3), (1, 4), (3, 5), (3, 6), (4, 7), (4, 8), (4, 9);
