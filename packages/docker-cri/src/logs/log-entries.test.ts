import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogEntry, readMultiplexedLog, readTerminalLog } from './log-entries.ts';
import { advance, formatLine, type LogPosition, positionOf, sinceOf, skipUntil } from './log-position.ts';

const TIME = '2026-11-22T12:21:58.024426712Z';
const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};
const collect = async (entries: AsyncIterable<readonly LogEntry[]>): Promise<string> => {
  let text = '';
  for await (const batch of entries) text += Buffer.concat(batch.map(formatLine)).toString();
  return text;
};
/** Splits bytes at arbitrary places. */
const inChunks = (bytes: Buffer, sizes: readonly number[]): Readable => {
  const chunks: Buffer[] = [];
  let offset = 0;
  for (const size of [...sizes, bytes.length]) {
    if (offset < bytes.length) chunks.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return Readable.from(chunks);
};

describe("Docker's log in the format of the CRI", () => {
  it('has a line for each frame, however they arrive', async () => {
    const bytes = Buffer.concat([
      frame(1, `${TIME} out \n`),
      frame(2, `${TIME} err\n`),
      frame(1, `${TIME} part`),
      frame(1, `${TIME} \n`),
    ]);
    const expected = `${TIME} stdout F out \n${TIME} stderr F err\n${TIME} stdout P part\n${TIME} stdout F \n`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 })), async (sizes) => {
        expect(await collect(readMultiplexedLog(inChunks(bytes, sizes)))).toBe(expected);
      }),
    );
  });

  it('has the lines of a terminal, also those that Docker has cut', async () => {
    const long = 'x'.repeat(16 * 1024);
    const bytes = Buffer.from(`${TIME} a\n${TIME} ${long}${TIME} rest\n${TIME} open`);
    const expected = `${TIME} stdout F a\n${TIME} stdout P ${long}\n${TIME} stdout F rest\n${TIME} stdout P open\n`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9000 })), async (sizes) => {
        expect(await collect(readTerminalLog(inChunks(bytes, sizes)))).toBe(expected);
      }),
    );
  });
});

describe('the position in a log', () => {
  const entry = (time: string): LogEntry => ({ time, stream: 'stdout', content: Buffer.alloc(0), isComplete: true });

  it('is found in the last lines', () => {
    const text = `2026-01-01T00:00:00.000000001Z stdout F a\n${TIME} stdout P b\n${TIME} stdout F c\n`;
    expect(positionOf(text)).toEqual({ time: TIME, count: 2 });
    expect(positionOf('')).toBeUndefined();
    expect(sinceOf({ time: TIME, count: 1 })).toBe(`${String(Date.parse('2026-11-22T12:21:58Z') / 1000)}.024426712`);
  });

  it('separates written entries from new ones, wherever writing stopped', () => {
    const times = fc
      .array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 })
      .map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(times, fc.nat(20), (numbers, cut) => {
        const entries = numbers.map((number) => entry(`2026-01-01T00:00:0${String(number)}.000000000Z`));
        let position: LogPosition | undefined;
        for (const written of entries.slice(0, cut)) position = advance(position, written);
        // Docker reports entries from the time of the position on.
        const reported = entries.filter(({ time }) => position === undefined || time >= position.time);
        expect(reported.filter(skipUntil(position))).toEqual(entries.slice(cut));
      }),
    );
  });
});
