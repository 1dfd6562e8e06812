INSERT INTO yourls_url VALUES ('one', 'https://example.com/1', 'One', '2023-11-14 22:13:20', '192.0.2.1', 7), ('two', 'https://example.com/😀', 'a"b''c\d\n	e
f   😀 ü ', '0000-00-00 00:00:00', '', 0);
INSERT INTO yourls_log (click_time, shorturl, referrer, user_agent, ip_address, country_code) VALUES ('2023-11-14 22:13:20', 'one', 'direct', '', '192.0.2.1', '');
