import { describe, expect, it } from 'vitest';
import { chooseSubprotocol, parseTerminalSize, portFrame, V4, V5 } from './channels.ts';

describe('the channel protocols', () => {
  it('are chosen by the server, the newest first', () => {
    expect(chooseSubprotocol('exec', new Set([V4, V5]))).toBe(V5);
    expect(chooseSubprotocol('attach', new Set(['v3.channel.k8s.io', V4]))).toBe(V4);
    expect(chooseSubprotocol('portforward', new Set([V4, V5]))).toBe(V4);
    expect(chooseSubprotocol('exec', new Set(['channel.k8s.io']))).toBeUndefined();
  });

  it('have sizes of terminals in JSON', () => {
    expect(parseTerminalSize('{"Width":80,"Height":24}\n')).toEqual({ width: 80, height: 24 });
    const wrong = ['', '{', 'null', '7', '{"Width":80}', '{"Width":80,"Height":-1}', '{"Width":65536,"Height":1}'];
    for (const json of wrong) expect(parseTerminalSize(json)).toBeUndefined();
  });

  it('begin a forwarded port with its number, little endian', () => {
    expect([...portFrame(8080)]).toEqual([0x90, 0x1f]);
    expect([...portFrame(80)]).toEqual([80, 0]);
  });
});
