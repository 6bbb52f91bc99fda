import { describe, expect, it } from 'vitest';
import { V4, V5 } from '../remote-command.ts';
import { chooseSubprotocol, codecOf, portMessage, TUNNEL } from './channels.ts';

describe('the channel protocols', () => {
  it.each([
    ['exec', [V4, V5], V5],
    ['attach', ['v3.channel.k8s.io', V4], V4],
    ['exec', ['base64.channel.k8s.io', 'v4.base64.channel.k8s.io'], 'base64.channel.k8s.io'],
    ['exec', [], ''],
    ['exec', ['v3.channel.k8s.io'], undefined],
    ['exec', [TUNNEL], undefined],
    ['portforward', [V4, V5], V4],
    ['portforward', [V4, TUNNEL], TUNNEL],
    ['portforward', [], ''],
    ['portforward', ['portforward.k8s.io'], undefined],
    ['portforward', ['channel.k8s.io'], undefined],
  ] as const)('for %s, of the offer %j: %s', (kind, offered, chosen) => {
    expect(chooseSubprotocol(kind, offered)).toBe(chosen);
  });

  it('carry the channel as the first byte, or as a digit before base64', () => {
    const [binary, base64] = [codecOf(V4), codecOf('base64.channel.k8s.io')];
    expect(binary.encode(1, Buffer.from('hi'))).toEqual(new Uint8Array([1, 104, 105]));
    expect(base64.encode(1, Buffer.from('hi\n'))).toBe('1aGkK');
    expect(binary.decode(Buffer.from([255, 0]))).toEqual({ channel: 255, data: Buffer.from([0]) });
    expect(base64.decode(Buffer.from('0aGkK'))).toEqual({ channel: 0, data: Buffer.from('hi\n') });
  });

  it('ignore a message without a channel, or with data that is not base64', () => {
    expect(codecOf(V4).decode(Buffer.alloc(0))).toBeUndefined();
    expect(codecOf('v4.base64.channel.k8s.io').decode(Buffer.from('0a!'))).toBeUndefined();
  });

  it('begin a forwarded port with its number, little endian', () => {
    expect([...portMessage(8080)]).toEqual([0x90, 0x1f]);
    expect([...portMessage(80)]).toEqual([80, 0]);
  });
});
