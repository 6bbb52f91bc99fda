import { describe, expect, it } from 'vitest';
import { joinErrors } from './field-errors.ts';
import { journalArguments } from './journal-arguments.ts';
import { type LogQuery, parseLogQuery } from './log-query.ts';
import { validateLogQuery } from './validate-log-query.ts';

/** Returns status and message of a query in the words of a kubelet; `undefined` for a valid one. */
async function faultOf(query: string): Promise<readonly [number, string] | undefined> {
  const parsed = parseLogQuery(new URLSearchParams(query));
  if ('errors' in parsed) return [400, joinErrors(parsed.errors)];
  if (parsed.query === undefined) throw new Error('it is no query');
  const errors = await validateLogQuery(parsed.query, (file) =>
    Promise.resolve(file === '/missing' ? 'statat /missing: no such file or directory' : undefined),
  );
  return errors.length === 0 ? undefined : [406, joinErrors(errors)];
}

function queryOf(query: string): LogQuery | undefined {
  const parsed = parseLogQuery(new URLSearchParams(query));
  return 'errors' in parsed ? undefined : parsed.query;
}

describe('parseLogQuery', () => {
  it.each(['', 'unknown=1', 'tailLines=', 'sinceTime=&untilTime=&boot=&pattern='])(
    'finds no query in "%s"',
    (query) => {
      expect(parseLogQuery(new URLSearchParams(query))).toEqual({ query: undefined });
    },
  );

  it('distinguishes services from files by a slash', () => {
    expect(queryOf('query=a&query=/b&query=%20&query=c\\d&query=e.log')).toMatchObject({
      services: ['a', 'e.log'],
      files: ['/b', 'c\\d'],
    });
  });

  it.each([
    ['query=', 'query: Invalid value: [""]: query cannot be empty'],
    ['query', 'query: Invalid value: [""]: query cannot be empty'],
    ['query=%20&query=%09&query=%C2%85', 'query: Invalid value: [" ","\\t","\u0085"]: query cannot be empty'],
    ['query=a&sinceTime=2023-01-04', 'sinceTime: Invalid value: "2023-01-04": invalid time format'],
    ['query=a&untilTime=x%22y', 'untilTime: Invalid value: "x\\"y": invalid time format'],
    ['query=a&boot=1_0', 'boot: Invalid value: "1_0": strconv.Atoi: parsing "1_0": invalid syntax'],
    [
      'query=a&boot=-99999999999999999999',
      'boot: Invalid value: "-99999999999999999999": strconv.Atoi: parsing "-99999999999999999999": value out of range',
    ],
    ['tailLines=%205', 'tailLines: Invalid value: " 5": strconv.Atoi: parsing " 5": invalid syntax'],
    [
      'query=a&boot=b&tailLines=c&sinceTime=d',
      '[sinceTime: Invalid value: "d": invalid time format, boot: Invalid value: "b": strconv.Atoi: parsing "b": invalid syntax, ' +
        'tailLines: Invalid value: "c": strconv.Atoi: parsing "c": invalid syntax]',
    ],
  ])('rejects %s with status 400', async (query, message) => {
    expect(await faultOf(query)).toEqual([400, message]);
  });
});

describe('validateLogQuery', () => {
  it.each([
    'query=kubelet',
    'query=a&query=b&query=c&query=d',
    'query=svc.foo&query=svc_foo&query=svc@foo&query=svc:foo',
    `query=${'a'.repeat(256)}`,
    'query=/present',
    'query=a&boot=0',
    'query=a&boot=-9223372036854775808',
    'query=a&tailLines=0',
    'query=a&tailLines=100000',
    'query=a&sinceTime=2023-01-04T02:00:00Z&untilTime=2023-01-04T03:00:00%2B01:00',
    'query=a&pattern=fail.*(ed%7Cure)',
  ])('accepts %s', async (query) => {
    expect(await faultOf(query)).toBeUndefined();
  });

  it.each([
    ['tailLines=5', 'query: Required value: cannot be empty with options'],
    ['pattern=x', 'query: Required value: cannot be empty with options'],
    ['query=a,b', 'query: Invalid value: "a,b": input contains unsupported characters'],
    ['query=-a%0a', 'query: Invalid value: "-a\\n": input contains unsupported characters'],
    ['query=a%20--flush', 'query: Invalid value: "a --flush": input contains unsupported characters'],
    ['query=$(id)&query=$(id)', 'query: Invalid value: "$(id)": input contains unsupported characters'],
    [`query=${'a'.repeat(257)}`, `query: Invalid value: "${'a'.repeat(257)}": length must be less than 256`],
    ['query=a&query=b&query=c&query=d&query=e', 'query: Too many: 5: must have at most 4 items'],
    ['query=a&query=/b', 'query: Invalid value: "[/b], [a]": cannot specify a file and service'],
    ['query=/a&query=/<b>', 'query: Invalid value: ["/a","/\\u003cb\\u003e"]: cannot specify more than one file'],
    ['query=/a&tailLines=3', 'query: Invalid value: ["/a"]: cannot specify file with options'],
    ['query=/missing', 'query: Invalid value: ["/missing"]: statat /missing: no such file or directory'],
    ['query=a&boot=1', 'boot: Invalid value: 1: must be less than 1'],
    ['query=a&tailLines=-1', 'tailLines: Invalid value: -1: must be between 0 and 100000, inclusive'],
    ['query=a&tailLines=100001', 'tailLines: Invalid value: 100001: must be between 0 and 100000, inclusive'],
    [
      'query=a&sinceTime=2023-03-04T02:00:00.25%2B05:30&untilTime=2023-02-04T02:00:00.1200-07:00',
      'untilTime: Invalid value: "2023-02-04T02:00:00.12-07:00": must be after `sinceTime`',
    ],
    [
      'query=a&pattern=foo%5C',
      'pattern: Invalid value: "foo\\\\": error parsing regexp: trailing backslash at end of expression: ``',
    ],
    [
      'query=a/b&query=c;d&boot=1',
      '[query: Invalid value: "c;d": input contains unsupported characters, ' +
        'query: Invalid value: "[a/b], [c;d]": cannot specify a file and service, boot: Invalid value: 1: must be less than 1]',
    ],
  ])('rejects %s with status 406', async (query, message) => {
    expect(await faultOf(query)).toEqual([406, message]);
  });
});

describe('journalArguments', () => {
  it.each([
    ['query=a', ['--unit=a']],
    ['query=a&query=b', ['--unit=a', '--unit=b']],
    ['query=a&tailLines=007', ['--pager-end', '--lines=7', '--unit=a']],
    ['query=a&boot=%2B0', ['--unit=a', '--boot', '0']],
    ['query=a&pattern=-x%20$(id)', ['--unit=a', '--grep=-x $(id)']],
    [
      'query=a&sinceTime=2023-01-04T02:00:05.9Z&untilTime=2023-02-04T13:10:00Z',
      ['--since=2023-1-4 02:0:5', '--until=2023-2-4 13:10:0', '--unit=a'],
    ],
    ['query=a&sinceTime=2023-01-04T02:00:00%2B05:30', ['--since=2023-1-3 20:30:0', '--unit=a']],
    [
      'query=a&sinceTime=2023-01-04T02:00:00Z&tailLines=3&boot=-1&pattern=b',
      ['--since=2023-1-4 02:0:0', '--pager-end', '--lines=3', '--unit=a', '--grep=b', '--boot', '-1'],
    ],
  ])('translates %s', (query, expected) => {
    const { services, options } = queryOf(query)!;
    expect(journalArguments(services, options)).toEqual(['--utc', '--no-pager', '--output=short-precise', ...expected]);
  });
});
