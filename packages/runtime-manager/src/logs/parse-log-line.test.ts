import { describe, expect, it } from 'vitest';
import { chooseLogFormat, type LogLine, parseCriLine, parseDockerLine } from './parse-log-line.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = (line: LogLine | undefined): unknown =>
  line && [line.timestamp, line.stream, Buffer.from(line.content).toString()];
const TIME = '2026-01-02T03:04:05.123456789Z';

describe('parseCriLine', () => {
  it.each([
    [`${TIME} stdout F hello world\n`, 'hello world\n'],
    [`${TIME} stdout P half\n`, 'half'],
    [`${TIME} stdout P:x:y half\n`, 'half'],
    [`${TIME} stdout F:x whole\n`, 'whole\n'],
    [`${TIME} stdout PX whole\n`, 'whole\n'],
    [`${TIME} stdout F \n`, '\n'],
    [`${TIME} stdout F no newline`, 'no newline'],
    [`${TIME} stdout  no tag\n`, 'no tag\n'],
  ])('%j holds %j', (line, content) => {
    expect(shown(parseCriLine(bytes(line)))).toEqual([TIME, 'stdout', content]);
    expect(shown(parseCriLine(Buffer.from(line)))).toEqual([TIME, 'stdout', content]);
  });

  it.each([
    'garbage line\n',
    '\n',
    `${TIME}\n`,
    `${TIME} stdout\n`,
    `${TIME} stdout F\n`,
    `${TIME} stdin F x\n`,
    'yesterday stdout F x\n',
    '2026-13-02T03:04:05Z stdout F x\n',
    '2026-01-02 stdout F x\n',
    `${'1'.repeat(1000)} stdout F x\n`,
  ])('%j is none', (line) => {
    expect(parseCriLine(bytes(line))).toBeUndefined();
  });
});

describe('the format of a log', () => {
  const docker = `{"log":"hé\\n","stream":"stderr","time":"${TIME}"}\n`;

  it('is that of its first line', () => {
    expect(chooseLogFormat(bytes(`${TIME} stdout F x\n`))).toBe(parseCriLine);
    expect(chooseLogFormat(bytes(docker))).toBe(parseDockerLine);
    expect(chooseLogFormat(bytes('garbage\n'))).toBeUndefined();
  });

  it('may be that of Docker', () => {
    expect(shown(parseDockerLine(bytes(docker)))).toEqual([TIME, 'stderr', 'hé\n']);
    for (const line of ['[]', '1', 'null', '{}', '{"log":1}', `{"stream":"stdout","time":"x"}`]) {
      expect(parseDockerLine(bytes(line))).toBeUndefined();
    }
  });
});
