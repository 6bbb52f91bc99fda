import { describe, expect, it } from 'vitest';
import { MAX_LINE_LENGTH } from './log-line.ts';
import { createMemoryLogs } from './log-sink.ts';
import { openLogWriter } from './log-writer.ts';

const NOW = 1_767_225_600_123_456_789n;
const STAMP = '2026-01-01T00:00:00.123456789Z';

describe('a container log', () => {
  it('has one line for each line of output, in whatever pieces it arrives', () => {
    const logs = createMemoryLogs();
    const writer = openLogWriter(logs, '/log', () => NOW);
    writer.write('stdout', 'a\nb');
    writer.write('stderr', 'oops\n');
    writer.write('stdout', 'c\n\n');
    expect(logs.read('/log')).toBe(
      `${STAMP} stdout F a\n${STAMP} stderr F oops\n${STAMP} stdout F bc\n${STAMP} stdout F \n`,
    );
  });

  it('gets an unfinished line at the end, as a partial one', () => {
    const logs = createMemoryLogs();
    const writer = openLogWriter(logs, '/log', () => NOW);
    writer.write('stdout', 'no newline');
    expect(logs.read('/log')).toBe('');
    writer.close();
    expect(logs.read('/log')).toBe(`${STAMP} stdout P no newline\n`);
  });

  it('cuts lines that are too long into partial ones', () => {
    const logs = createMemoryLogs();
    const writer = openLogWriter(logs, '/log', () => NOW);
    writer.write('stdout', `${'x'.repeat(MAX_LINE_LENGTH * 2)}y\n${'z'.repeat(MAX_LINE_LENGTH)}`);
    writer.write('stdout', 'z');
    const lines = logs.read('/log').split('\n').slice(0, -1);
    expect(lines.map((line) => [line.split(' ')[2], line.split(' ')[3]?.length])).toEqual([
      ['P', MAX_LINE_LENGTH],
      ['P', MAX_LINE_LENGTH],
      ['F', 1],
      ['P', MAX_LINE_LENGTH],
    ]);
  });
});
