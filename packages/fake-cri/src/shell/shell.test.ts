import { describe, expect, it } from 'vitest';
import { createBench } from '../test-support.ts';
import { parseScript } from './parser.ts';

/** Runs a script as a container for ten seconds. @returns its log lines, then its exit code, `undefined` while it runs. */
async function run(script: string, ...parameters: string[]): Promise<(string | number | undefined)[]> {
  const { clock, start, container, logOf, fake } = await createBench();
  const id = await start('sh', '-c', script, ...parameters);
  await clock.advance(10_000);
  const { exitCode, finishedAt } = await container(id);
  const lines = (await logOf(id)).map((line) => line.replace(/^stdout [FP] /, ''));
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
    ['echo first | cat; exit 1', ['first', 1]],
    ['A=1 B="x  y"; echo $A "$B"; A=2; echo $A', ['1 x  y', '2', 0]],
    ['A=in env | grep -c "^A=in$"; echo "[$A]"; export B=out; printenv B', ['1', '[]', 'out', 0]],
    ['echo $(echo a; echo b) "$(printf "x\\ny")" ${NONE:-none}', ['a b x', 'y none', 0]],
    ['A=$(false); echo $?; A=$(echo 1); echo $A', ['1', '1', 0]],
    ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done', ['1', '2', '3', 0]],
    ['echo $((2+3*4)) $(((2+3)*4%7)) $((1<2 && 3>=4)) $((-3/2))', ['14 6 0 -1', 0]],
    ['echo $((1/0)); echo on', ['stderr F sh: divide by zero', 'on', 0]],
    ['if false; then echo a; elif true; then echo b; else echo c; fi', ['b', 0]],
    ['if ! true; then echo a; else echo c; fi; ! true; echo $?', ['c', '1', 0]],
    ['for x in a "b c"; do for y in 1 2; do [ $y = 2 ] && break; echo $x$y; done; done', ['a1', 'b c1', 0]],
    ['for x in 1 2 3; do if [ $x -eq 2 ]; then continue; fi; echo $x; done', ['1', '3', 0]],
    ['A=1; (A=2; exit 3); echo $? $A; { A=3; }; echo $A', ['3 1', '3', 0]],
    [
      'echo one >/tmp/f; echo two >>/tmp/f; cat </tmp/f; cat /tmp/f | wc -l; echo new >/tmp/f; cat /tmp/f',
      ['one', 'two', '2', 'new', 0],
    ],
    ['cat /nothing; echo $?', ['stderr F cat: /nothing: No such file or directory', '1', 0]],
    [
      'echo x >/no/file; echo $?; cd /no',
      [
        "stderr F sh: can't create /no/file: No such file or directory",
        '1',
        "stderr F sh: cd: can't cd to /no: No such file or directory",
        2,
      ],
    ],
    ['mkdir -p /a/b && cd /a/b && touch c && ls .. . && rm -r ../b; ls /a; pwd', ['b', 'c', '/a/b', 0]],
    [
      'touch /tmp/x; test -f /tmp/x && [ -d /tmp ] && [ ! -e /tmp/y ] && [ -n a ] && [ -z "" ] && [ a != b ]; echo $?',
      ['0', 0],
    ],
    ['[ 1 -eq', ['stderr F sh: [: missing ]', 2]],
    ['printf "%s=%d\\n" a 1 b 2; printf "1\\n2\\n3\\n" | tail -n 2 | head -n 1', ['a=1', 'b=2', '2', 0]],
    ['echo abc | grep -q b && echo found; echo abc | grep x; echo $?', ['found', '1', 0]],
    ['hostname; id -u; date +%s; cat /etc/hostname', ['pod-1', '0', '1767225600', 'pod-1', 0]],
    ["trap 'echo bye' EXIT; exit 5", ['bye', 5]],
    ["trap 'echo got; exit 0' TERM; kill -TERM 1; echo never", ['got', 0]],
    ['sleep 2 & sleep 1; echo first; wait; echo both', ['first', 'both', 0]],
    ['seq 3; seq 2 -1 1; seq 5 4; seq x', ['1', '2', '3', '2', '1', 'stderr F seq: invalid arguments: x', 1]],
    ['seq 1 1000000', ['stderr F seq: too many numbers', 1]],
    ['dd if=/dev/zero of=/dev/null bs=1k count=2', ['stderr F 2+0 records in', 'stderr F 2+0 records out', 0]],
    ['dd if=/etc/hosts of=/dev/null', [expect.stringContaining('is not supported') as string, 1]],
    ['sync; echo $$; id -x', ['1', 'stderr F id: invalid option: -x', 1]],
    ['while true; do echo x; done | head -n 0; echo done', [undefined]],
    ['tail -f /dev/null', [undefined]],
  ])('runs %j', async (script, result) => {
    expect(await run(script)).toEqual(result);
  });

  it('has parameters, which are split at blanks unless they are quoted', async () => {
    expect(await run('echo $# $0 "$1" $1', 'name', 'a   b')).toEqual(['1 name a   b a b', 0]);
  });

  it('runs a busy loop without blocking everything else', async () => {
    expect(await run('while true; do true; done')).toEqual([undefined]);
    expect((await run('while true; do echo spam; done')).length).toBe(1002);
  });

  it.each([
    'case x in x) ;; esac',
    'echo `date`',
    'cat <<EOF',
    'for x; do echo; done',
    'echo ${X%y}',
    'echo "$@"',
    'echo &>file',
  ])('reports that it does not support %j', (script) => {
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
