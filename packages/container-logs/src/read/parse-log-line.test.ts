import { describe, expect, it } from 'vitest';
import { chooseLogFormat, emptyLogLine, type LogLineParser, parseCriLine, parseDockerLine } from './parse-log-line.ts';

/** Time, stream and content of a line that stands in the middle of others. */
function parsed(parse: LogLineParser, text: string): readonly string[] | undefined {
  const before = 'before\n';
  const bytes = Buffer.from(`${before}${text}${text.endsWith('\n') ? 'after stdout F x\n' : ''}`);
  const line = emptyLogLine();
  if (!parse(bytes, before.length, before.length + Buffer.byteLength(text), line)) return undefined;
  const time =
    line.plainLength > 0
      ? line.bytes.toString('latin1', line.plainStart, line.plainStart + line.plainLength)
      : line.timestamp.text;
  return [time, line.stream, line.bytes.toString('utf8', line.start, line.end)];
}
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
    expect(parsed(parseCriLine, line)).toEqual([TIME, 'stdout', content]);
  });

  it('takes times in other forms', () => {
    expect(parsed(parseCriLine, '2026-01-02T3:04:05,5+02:00 stderr F x\n')).toEqual([
      '2026-01-02T03:04:05.500000000+02:00',
      'stderr',
      'x\n',
    ]);
    expect(parsed(parseCriLine, '2026-01-02T03:04:05.1234567891Z stderr F x\n')?.[0]).toBe(TIME);
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
    `${TIME}x stdout F x\n`,
    '2026-02-31T03:04:05Z stdout F x\n',
  ])('%j is none', (line) => {
    expect(parsed(parseCriLine, line)).toBeUndefined();
  });
});

describe('parseDockerLine', () => {
  it.each([
    [`{"log":"hé\\n","stream":"stderr","time":"${TIME}"}\n`, [TIME, 'stderr', 'hé\n']],
    [
      `{"LOG":"x","Stream":"stdout","time":"2026-01-02T03:04:05+02:00","more":[1]}`,
      [`2026-01-02T03:04:05.000000000+02:00`, 'stdout', 'x'],
    ],
    // Go leaves what is missing as it was.
    ['{}\n', ['0001-01-01T00:00:00.000000000Z', '', '']],
    ['null\n', ['0001-01-01T00:00:00.000000000Z', '', '']],
    ['{"log":null,"stream":"other"}\n', ['0001-01-01T00:00:00.000000000Z', 'other', '']],
  ])('%s is %j', (line, expected) => {
    expect(parsed(parseDockerLine, line)).toEqual(expected);
  });

  it.each(['[]', '1', '"x"', 'x', '', '{"log":1}', '{"stream":{}}', '{"time":"x"}', '{"time":1}', '\uFEFF{}'])(
    '%j is none',
    (line) => {
      expect(parsed(parseDockerLine, line)).toBeUndefined();
    },
  );
});

describe('the format of a log', () => {
  it('is that of its first line', () => {
    const format = (text: string): LogLineParser | undefined =>
      chooseLogFormat(Buffer.from(text), 0, Buffer.byteLength(text));
    expect(format(`${TIME} stdout F x\n`)).toBe(parseCriLine);
    expect(format(`{"log":"x","stream":"stderr","time":"${TIME}"}\n`)).toBe(parseDockerLine);
    expect(format('garbage\n')).toBeUndefined();
  });
});
