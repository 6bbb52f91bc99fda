import { describe, expect, it } from 'vitest';
import { controlFrame, createFrameReader, dataFrame, FLAG_FIN, FrameType } from './frames.ts';

const bytes = Buffer.concat([
  controlFrame(FrameType.ping, 1),
  dataFrame(5, Buffer.from('hello'), false),
  dataFrame(5, Buffer.alloc(0), true),
  controlFrame(FrameType.rstStream, 3, Buffer.from([0, 0, 0, 5])),
]);

describe('the frame reader', () => {
  it('finds the same frames wherever the input is cut', () => {
    for (let size = 1; size <= bytes.length; size += 1) {
      const reader = createFrameReader();
      const frames = [];
      for (let at = 0; at < bytes.length; at += size) frames.push(...reader.read(bytes.subarray(at, at + size)));
      const control = frames.filter(({ type }) => type !== undefined);
      expect(control.map(({ type, data }) => [type, data.toString('hex')])).toEqual([
        [FrameType.ping, '00000001'],
        [FrameType.rstStream, '0000000300000005'],
      ]);
      const data = frames.filter(({ type }) => type === undefined);
      expect(Buffer.concat(data.map((frame) => frame.data)).toString()).toBe('hello');
      expect(data.map(({ flags }) => flags).filter((flags) => flags === FLAG_FIN)).toHaveLength(1);
      expect(data.at(-1)!.flags).toBe(FLAG_FIN);
    }
  });

  it('passes on the data of a large frame before its end', () => {
    const reader = createFrameReader();
    const head = Buffer.from([0, 0, 0, 5, 0, 0xff, 0xff, 0xff]);
    expect(reader.read(head)).toEqual([]);
    expect(reader.read(Buffer.from('abc'))).toEqual([
      { type: undefined, flags: 0, streamId: 5, data: Buffer.from('abc') },
    ]);
  });

  it('rejects other versions and large control frames', () => {
    expect(() => createFrameReader().read(Buffer.from([0x80, 2, 0, 6, 0, 0, 0, 4]))).toThrow('another version');
    expect(() => createFrameReader().read(Buffer.from([0x80, 3, 0, 6, 0, 0xff, 0, 0]))).toThrow('16711680 bytes');
  });
});
