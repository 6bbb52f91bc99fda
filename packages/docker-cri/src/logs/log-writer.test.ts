import { describe, expect, it } from 'vitest';
import type { LogEntry } from './log-entries.ts';
import type { LogFiles } from './log-files.ts';
import type { LogPosition } from './log-position.ts';
import { createLogWriter } from './log-writer.ts';

const PATH = '/logs/c.log';
const entry = (time: number, content: string, isComplete = true): LogEntry => ({
  time: `2026-01-01T00:00:00.00000000${String(time)}Z`,
  stream: 'stdout',
  content: Buffer.from(content),
  isComplete,
});
const line = (time: number, content: string, flag = 'F'): string =>
  `2026-01-01T00:00:00.00000000${String(time)}Z stdout ${flag} ${content}\n`;

/** Log files in memory, on a disk that takes at most `freeBytes` more. */
function setUp() {
  const disk = { freeBytes: Infinity };
  const contents = new Map<string, { text: string }>();
  const files: LogFiles = {
    async open(path) {
      const file = contents.get(path) ?? { text: '' };
      contents.set(path, file);
      return {
        async append(bytes) {
          const taken = Buffer.from(bytes).toString().slice(0, disk.freeBytes);
          file.text += taken;
          if (taken.length < bytes.length) throw new Error('ENOSPC: no space left on device, write');
        },
        tail: async (maxBytes) => Buffer.from(file.text.slice(-maxBytes)),
        cut: async (bytes) => void (file.text = file.text.slice(0, file.text.length - bytes)),
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  };
  const stored = new Map<string, LogPosition>();
  const positions = {
    read: async (id: string) => stored.get(id),
    write: async (id: string, position: LogPosition) => void stored.set(id, position),
    remove: async (id: string) => void stored.delete(id),
  };
  const open = () => createLogWriter(files, PATH, 'c', positions);
  return { disk, open, text: () => contents.get(PATH)?.text ?? '', rotate: () => contents.delete(PATH) };
}

describe('the writer of a log', () => {
  it('continues behind the last whole line when the disk was full within a write', async () => {
    const { disk, open, text } = setUp();
    await using writer = open();
    await writer.write([entry(1, 'one')]);
    disk.freeBytes = line(2, 'two').length + 10;
    const failed = writer.write([entry(2, 'two'), entry(3, 'three')]);
    await expect(failed).rejects.toThrow('ENOSPC');
    disk.freeBytes = Infinity;
    expect(await writer.position()).toEqual({ time: entry(2, '').time, count: 1 });
    await writer.write([entry(3, 'three')]);
    expect(text()).toBe(line(1, 'one') + line(2, 'two') + line(3, 'three'));
  });

  it('keeps its position when the disk was full at the first line after a rotation', async () => {
    const { disk, open, text, rotate } = setUp();
    await using writer = open();
    await writer.write([entry(1, 'one')]);
    rotate();
    await writer.reopen();
    disk.freeBytes = 10;
    await expect(writer.write([entry(2, 'two')])).rejects.toThrow('ENOSPC');
    disk.freeBytes = Infinity;
    expect(await writer.position()).toEqual({ time: entry(1, '').time, count: 1 });
    await writer.write([entry(2, 'two')]);
    expect(text()).toBe(line(2, 'two'));
  });

  it('counts all parts of a line that is longer than what is read first', async () => {
    const { open, text } = setUp();
    const parts = Array.from({ length: 40 }, (_, index) => entry(2, 'x'.repeat(16_000), index === 39));
    {
      await using writer = open();
      await writer.write([entry(1, 'one'), ...parts]);
    }
    const before = text();
    await using next = open();
    expect(await next.position()).toEqual({ time: entry(2, '').time, count: 40 });
    expect(text()).toBe(before);
  });
});
