// Server-sent events, as text arrives (the format of the HTML standard, §9.2.6).

/**
 * A parser that takes pieces of a stream and gives the events that are whole.
 * @returns {(piece: string) => { name: string, data: string }[]}
 */
export function eventParser() {
  let rest = '';
  let name = '';
  /** @type {string[]} */
  let data = [];
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    const events = [];
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ name: name || 'message', data: data.join('\n') });
        name = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
    }
    return events;
  };
}
