import { describe, expect, it } from 'vitest';
import { createBench } from '../test-support.ts';
import { parseScript } from './parser.ts';

/** Runs a script as a container for ten seconds. @returns its log lines, then its exit code, `undefined` while it runs. */
async function run(script: string, ...parameters: string[]): Promise<(string | number | undefined)[]> {
  const { clock, start, container, logOf, fake } = await createBench();
  const id = await start('sh', '-c', script, ...parameters);
  await clock.advance(10_000);
  const { exitCode, finishedAt } = await container(id);
  const lines = (await logOf(id)).map((line) => line.replace(/^stdout F /, ''));
  await fake[Symbol.asyncDispose]();
  expect(clock.pendingTimers).toBe(0);
  return [...lines, finishedAt > 0n ? exitCode : undefined];
}

describe('the built-in shell', () => {
  it.each<[string, (string | number | undefined)[]]>([
    ['echo hi; sleep 3; exit 1', ['hi', 1]],
    ['true', [0]],
    ['false', [1]],
    ['', [0]],
    ['exit', [0]],
    ['false; exit', [1]],
    ['exit 300', [44]],
    ['exit 7; echo never', [7]],
    ['true && echo yes || echo no', ['yes', 0]],
    ['false && echo yes || echo no', ['no', 0]],
    ['false || false && echo never; echo $?', ['1', 0]],
    ['echo a;echo b\n\n# a comment; echo no\necho c # more\n', ['a', 'b', 'c', 0]],
    ['true &&\n echo next line', ['next line', 0]],
    ['echo one \\\n two', ['one two', 0]],
    [`echo 'a  $HOME "b"' "c  'd'" e\\ f`, [`a  $HOME "b" c  'd' e f`, 0]],
    ['echo a#b "" x', ['a#b  x', 0]],
    ['echo "quote \\" dollar \\$ slash \\\\ other \\n"', ['quote " dollar $ slash \\ other \\n', 0]],
    ['echo -n a; echo b; echo', ['ab', '', 0]],
    ['echo -e "a\\tb"; echo -n -x', ['a\tb', '-x', 0]],
    ['echo $HOSTNAME "${HOSTNAME}!" $UNSET"" 5$', ['pod-1 pod-1!  5$', 0]],
    ['echo err >&2; echo out 1>&2; echo both 2>&1', ['stderr F err', 'stderr F out', 'both', 0]],
    ['echo gone > /dev/null; echo gone >/dev/null 2>&1; echo err 2>/dev/null >&2', [0]],
    ['sleep 1m', [undefined]],
    ['sleep 0.5 && sleep 1s; echo up', ['up', 0]],
    ['sleep', ['stderr F sleep: missing operand', 1]],
    ['sleep soon', [`stderr F sleep: invalid number 'soon'`, 1]],
    ['while true; do echo tick; sleep 4; done', ['tick', 'tick', 'tick', undefined]],
    ['until true; do echo never; done; echo done', ['done', 0]],
    ['while false; do\n echo never\ndone && echo after', ['after', 0]],
    ['while true; do echo out; exit 4; done', ['out', 4]],
    ['while true; do echo loop >&2; sleep 9; done >/dev/null 2>&1', [undefined]],
    ['set -e; false || true; echo on; false; echo never', ['on', 1]],
    ['set -e; while false; do true; done; set +e; false; echo on', ['on', 0]],
    ['exec echo replaced; echo never', ['replaced', 0]],
    [': && /bin/echo path', ['path', 0]],
    ['echo before; nginx -g "daemon off;"; echo never', ['before', undefined]],
    ['exit abc', ['stderr F sh: exit: Illegal number: abc', 2]],
    ['echo "open', ['stderr F sh: syntax error: unterminated quoted string', 2]],
    ['echo a; ; echo b', ['stderr F sh: syntax error: unexpected ";"', 2]],
    ['while true; do echo', ['stderr F sh: syntax error: unexpected end of file (expecting "done")', 2]],
    ['done', ['stderr F sh: syntax error: unexpected "done"', 2]],
    ['echo first | cat; exit 1', [undefined]],
  ])('runs %j', async (script, result) => {
    expect(await run(script)).toEqual(result);
  });

  it('has parameters, which are split at blanks unless they are quoted', async () => {
    expect(await run('echo $# $0 "$1" $1', 'name', 'a   b')).toEqual(['1 name a   b a b', 0]);
  });

  it('lets a loop that does nothing run without blocking everything else', async () => {
    expect(await run('while true; do true; done')).toEqual([undefined]);
    expect((await run('while true; do echo spam; done')).length).toBe(1002);
  });

  it.each([
    'ls | wc',
    'echo $(date)',
    'echo `date`',
    'sleep 1 &',
    'if true; then echo; fi',
    'for x in 1; do echo; done',
    'X=1',
    'echo x > /tmp/file',
    'cat < file',
    '(echo)',
    '{ echo; }',
    '! true',
    'echo ${X:-y}',
    'echo "$@"',
  ])('says that it does not support %j', (script) => {
    expect(() => parseScript(script)).toThrow('does not support');
  });

  it('runs commands without a shell, too', async () => {
    const { clock, start, container, logOf } = await createBench();
    const echo = await start('/bin/echo', '$HOME;', 'x');
    const unknownFlags = await start('sh', '-x', 'script');
    await clock.settle();
    expect(await logOf(echo)).toEqual(['stdout F $HOME; x']);
    expect((await container(echo)).exitCode).toBe(0);
    expect((await container(unknownFlags)).finishedAt).toBe(0n);
  });
});
