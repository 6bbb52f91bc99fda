import { describe, expect, it } from 'vitest';
import type { LogFields } from '../logger.ts';
import { createKlogLogger, type KlogOptions } from './klog-logger.ts';

/** 24 November 2026, 06:12:48.123 in the zone of the process. */
const TIME_MS = new Date(2026, 10, 24, 6, 12, 48, 123).getTime();

function recordedLog(options: Partial<KlogOptions> = {}) {
  const lines: string[] = [];
  const clock = { now: () => TIME_MS };
  const log = createKlogLogger(
    { clock, write: (line) => void lines.push(line) },
    { pid: 4711, program: 'rxlet', ...options },
  );
  return { ...log, lines };
}
const lineOf = (message: string, fields?: LogFields, options?: Partial<KlogOptions>): string => {
  const { logger, lines } = recordedLog(options);
  logger.info(message, fields);
  return lines.join('');
};

describe('a text line', () => {
  it('has severity, local time, process, source and the quoted message', () => {
    const { logger, lines } = recordedLog();
    logger.info('pod is "Running"');
    logger.warn('low\nspace');
    logger.child({ logger: 'eviction' }).error('cannot evict');
    expect(lines).toEqual([
      String.raw`I1124 06:12:48.123000    4711 rxlet:1] "pod is \"Running\""` + '\n',
      String.raw`W1124 06:12:48.123000    4711 rxlet:1] "low\nspace"` + '\n',
      'E1124 06:12:48.123000    4711 eviction:1] "cannot evict"\n',
    ]);
  });

  it.each<[name: string, fields: LogFields, text: string]>([
    ['texts in quotes', { pod: 'web', note: 'a "b"' }, String.raw`pod="web" note="a \"b\""`],
    ['numbers and switches as they are', { count: 3, big: 5n, ready: true }, 'count=3 big=5 ready=true'],
    [
      'other values as JSON',
      { names: ['a', 'b'], none: null, deep: { n: 1n } },
      'names=["a","b"] none=null deep={"n":"1"}',
    ],
    ['the error first, by the name that klog gives it', { pod: 'web', error: 'no space' }, 'err="no space" pod="web"'],
    ['the message of an exception', { cause: new Error('full') }, 'cause="full"'],
    ['no field without a value', { pod: undefined, ip: '::1' }, 'ip="::1"'],
    ['lines of a text indented', { stack: 'a\n b\n', next: 1 }, 'stack=<\n\ta\n\t b\n > next=1'],
  ])('has %s', (_, fields, text) => {
    expect(lineOf('m', fields)).toBe(`I1124 06:12:48.123000    4711 rxlet:1] "m" ${text}\n`);
  });

  it('has each field once, with the last value', () => {
    const { logger, lines } = recordedLog();
    logger.child({ pod: 'a', node: 'n' }).info('m', { pod: 'b' });
    expect(lines[0]).toMatch(/ "m" node="n" pod="b"\n$/);
  });

  it('cannot be forged by a value', () => {
    const forged = 'x\nE1124 06:12:48.123000    4711 rxlet:1] "forged"';
    expect(lineOf(forged).trimEnd().split('\n')).toHaveLength(1);
    expect(
      lineOf('m', { value: forged })
        .split('\n')
        .slice(1, -1)
        .every((line) => /^[\t ]/.test(line)),
    ).toBe(true);
  });
});

describe('a JSON line', () => {
  it('has the keys of Kubernetes in their order', () => {
    const { logger, lines } = recordedLog({ format: 'json', verbosity: 4 });
    const child = logger.child({ logger: 'eviction', node: 'n' });
    child.info('evicting', { pod: 'web' });
    child.debug('measured');
    child.warn('low space', { error: 'x' });
    child.error('cannot evict', { error: 'gone', pod: 'web' });
    const ts = String(TIME_MS);
    expect(lines).toEqual([
      `{"ts":${ts},"logger":"eviction","msg":"evicting","v":0,"node":"n","pod":"web"}\n`,
      `{"ts":${ts},"logger":"eviction","msg":"measured","v":4,"node":"n"}\n`,
      `{"ts":${ts},"logger":"eviction","msg":"low space","v":0,"severity":"warning","node":"n","err":"x"}\n`,
      `{"ts":${ts},"logger":"eviction","msg":"cannot evict","node":"n","pod":"web","err":"gone"}\n`,
    ]);
  });

  it('keeps its own keys when a field has the name of one', () => {
    expect(JSON.parse(lineOf('m', { msg: 'other', v: 9 }, { format: 'json' }))).toEqual({
      ts: TIME_MS,
      msg: 'm',
      v: 0,
    });
  });

  it('is valid for values that JSON cannot express', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const line = lineOf('m', { circular, big: 1n, call: () => undefined }, { format: 'json' });
    expect(JSON.parse(line)).toMatchObject({ big: '1', call: null });
  });
});

describe('verbosity', () => {
  it('shows debugging lines from 4 on, also of loggers that exist already', () => {
    const { logger, lines, setVerbosity } = recordedLog({ verbosity: 3 });
    const child = logger.child({ logger: 'pleg' });
    child.debug('one');
    setVerbosity(4);
    child.debug('two');
    setVerbosity(0);
    child.debug('three');
    expect(lines.map((line) => /"(.*)"/.exec(line)?.[1])).toEqual(['two']);
  });

  it('is raised, and never lowered, by a pattern for the name of a logger', () => {
    const { logger, lines, setVerbosity } = recordedLog({ vmodule: [{ filePattern: 'pleg', verbosity: 4 }] });
    const [pleg, other] = [logger.child({ logger: 'pleg' }), logger.child({ logger: 'eviction' })];
    pleg.debug('a');
    pleg.child({ logger: 'relist' }).debug('b');
    other.debug('c');
    setVerbosity(10);
    other.debug('d');
    expect(lines.map((line) => /"(.*)"/.exec(line)?.[1])).toEqual(['a', 'b', 'd']);
  });
});
