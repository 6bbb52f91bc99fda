import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram, loadModuleFlags } from '../program.ts';
import { commandTree, isHidden } from './command-tree.ts';
import { examplesOf } from './examples.ts';

const SCREEN = { columns: 80, lines: 40 };

const program = createProgram([], new AbortController().signal, await loadModuleFlags([]));
const commands = program.commands.filter((command) => !isHidden(command));

function helpOf(command: Command): string[] {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => SCREEN.columns });
  command.outputHelp();
  return text.trimEnd().split('\n');
}

describe('--help', () => {
  it.each([program, ...commands].map((command) => [command.name(), command] as const))(
    'fits a screen and has an example for %s',
    (name, command) => {
      const lines = helpOf(command);
      expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(SCREEN.lines);
      expect(lines.filter((line) => line.length > SCREEN.columns)).toEqual([]);
      expect(lines).toContain('Examples:');
      for (const example of examplesOf(command))
        expect(example).toMatch(name === 'rxlet' ? /^rxlet / : `rxlet ${name}`);
    },
  );

  it.each(commands.map((command) => [command.name(), command] as const))('names the agent for %s', (_name, command) => {
    expect(helpOf(command).join('\n')).toContain('RXLET_ROOT');
  });

  it('names every command for the program', () => {
    const text = helpOf(program).join('\n');
    for (const command of commands) expect(text).toMatch(new RegExp(`[ ,]${command.name()}\\b`));
  });
});

describe('commandTree', () => {
  it('has all commands, arguments, options and examples as data', () => {
    const tree = commandTree(program);
    expect(tree.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--pod-manifest-path', '--v']));
    const logs = tree.commands.find(({ name }) => name === 'logs');
    expect(logs).toMatchObject({
      group: 'Look:',
      description: "print a container's log",
      arguments: [
        { name: 'pod', isRequired: false },
        { name: 'container', isRequired: false },
      ],
      examples: expect.arrayContaining(['rxlet logs -f web']) as string[],
    });
    expect(logs?.options).toContainEqual({
      short: '-c',
      long: '--container',
      value: 'name',
      choices: [],
      description: 'which container, if not the first or the one that the pod names as its default',
    });
    expect(tree.commands.map(({ name }) => name)).not.toContain('apply');
  });
});
