import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../cli/command-tree.ts';
import { createProgram, loadModuleFlags } from '../program.ts';
import { completionScript } from './completion.ts';

const tree = commandTree(createProgram([], new AbortController().signal, await loadModuleFlags([])));

/** Returns what bash offers at the end of a line. */
function complete(line: string): string[] {
  const words = line.split(' ');
  const script = [
    'rxlet() { echo web-node1; }',
    completionScript('bash', tree),
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length - 1)}`,
    '_rxlet; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: import.meta.dirname })
    .trim()
    .split('\n');
}

describe('completions of bash', () => {
  it.each<[line: string, expected: string[]]>([
    ['rxlet de', ['describe', 'debug']],
    ['rxlet get po', ['pods']],
    ['rxlet get --show', ['--show-labels']],
    ['rxlet logs web', ['web-node1']],
    ['rxlet --root-dir /x logs --prev', ['--previous']],
    ['rxlet --pod-manif', ['--pod-manifest-path']],
    ['rxlet get pods --color a', ['auto', 'always']],
    ['rxlet completion f', ['fish']],
    ['rxlet debug s', ['state']],
    ['rxlet --config completion.test', ['completion.test.ts']],
  ])('offer for %j', (line, expected) => {
    expect(complete(line)).toEqual(expected);
  });

  it('offer every command and every flag of every command', () => {
    expect(complete('rxlet ').sort()).toEqual(tree.commands.map(({ name }) => name).sort());
    for (const { name, options } of tree.commands) {
      const offered = complete(`rxlet ${name} --`);
      for (const { long } of options) expect(offered, name).toContain(long);
    }
  });
});

describe('completions of other shells', () => {
  it('offer all commands and flags as well', () => {
    expect(completionScript('zsh', tree)).toMatch(/^#compdef rxlet\n/);
    const fish = completionScript('fish', tree);
    for (const { name, options } of tree.commands) {
      expect(fish).toContain(` -a ${name} -d '`);
      for (const { long } of options)
        expect(fish).toMatch(new RegExp(`seen_subcommand_from ${name}".* -l ${long.slice(2)}\\b`));
    }
  });
});
