import { describe, expect, it } from 'vitest';
import { createTerminalSizes, parseTerminalSize } from './terminal-size.ts';

describe('the size of a terminal', () => {
  it('is encoded in JSON', () => {
    expect(parseTerminalSize('{"Width":80,"Height":24}\n')).toEqual({ width: 80, height: 24 });
    const wrong = ['', '{', 'null', '7', '{"Width":80}', '{"Width":80,"Height":-1}', '{"Width":65536,"Height":1}'];
    for (const json of wrong) expect(parseTerminalSize(json)).toBeUndefined();
  });

  it('reaches listeners that come later, and stays when an invalid one follows', () => {
    const sizes = createTerminalSizes();
    expect(sizes.last).toBeUndefined();
    sizes.receive('{"Width":80,"Height":24}');
    sizes.receive('{}');
    const seen: unknown[] = [];
    sizes.onResize((size) => seen.push(size));
    expect([sizes.last, ...seen]).toEqual(Array.from({ length: 2 }, () => ({ width: 80, height: 24 })));
  });
});
