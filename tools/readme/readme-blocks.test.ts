import { describe, expect, it } from 'vitest';
import {
  firstDifference,
  installedPackages,
  readBlocks,
  readCommands,
  readDocstringExamples,
} from './readme-blocks.ts';

describe('readBlocks', () => {
  it('finds blocks with their language, place and code', () => {
    const blocks = readBlocks('# Title\n\n```sh\nnpm ci\n\nnpm test\n```\n\ntext\n\n```\nplain\n```\n');
    expect(blocks).toEqual([
      { language: 'sh', code: 'npm ci\n\nnpm test', line: 3, output: [] },
      { language: '', code: 'plain', line: 11, output: [] },
    ]);
  });

  it('takes a text block that directly follows as the output', () => {
    const output = (between: string): unknown =>
      readBlocks(`\`\`\`ts\ncode\n\`\`\`\n${between}\`\`\`text\none\n\n two\n\`\`\`\n`)[0]?.output;
    expect(output('')).toEqual(['one', ' two']);
    expect(output('\n\n')).toEqual(['one', ' two']);
    expect(output('\nA picture:\n\n')).toEqual([]);
    expect(output('```sh\n```\n')).toEqual([]);
  });

  it('rejects a block without an end', () => {
    expect(() => readBlocks('\n```ts\ncode\n')).toThrow('line 2');
  });
});

describe('readDocstringExamples', () => {
  it('finds the examples of multi-line docstrings with their line and code', () => {
    const docstring =
      '  /**\n   * Creates it.\n   *\n   * @example\n   * ```ts\n   * create();\n   *\n   * use();\n   * ```\n   */\n';
    expect(readDocstringExamples(`/** One line. */\nconst a = 1;\n${docstring}`)).toEqual([
      { language: 'ts', code: 'create();\n\nuse();', line: 7, output: [] },
    ]);
  });

  it('ignores blocks of docstrings without @example', () => {
    expect(readDocstringExamples('/**\n * ```text\n * a\n * ```\n */\n')).toEqual([]);
  });
});

describe('readCommands', () => {
  it.each<[string, string[][]]>([
    [
      'npm ci && npm start',
      [
        ['npm', 'ci'],
        ['npm', 'start'],
      ],
    ],
    [
      '$ rxlet get pods -o json | jq .items',
      [
        ['rxlet', 'get', 'pods', '-o', 'json'],
        ['jq', '.items'],
      ],
    ],
    ['# a comment\nnpm test # another', [['npm', 'test']]],
    ['sudo PATH=/x npx rxlet --v=2 \\\n  --node-ip 10.0.0.1 &', [['rxlet', '--v=2', '--node-ip', '10.0.0.1']]],
    [`echo "two words" 'a'b#c`, [['echo', '"two words"', `'a'b#c`]]],
    [
      `sh -c 'sleep 1; exit 1'; npm test`,
      [
        ['sh', '-c', `'sleep 1; exit 1'`],
        ['npm', 'test'],
      ],
    ],
    ['', []],
  ])('reads %j', (shell, commands) => {
    expect(readCommands(shell)).toEqual(commands);
  });
});

describe('firstDifference', () => {
  it.each<[string, string[], string | undefined]>([
    ['the same lines', ['a', 'b', 'value 1 of 2'], undefined],
    ['a line that varies', ['a', 'b', 'value … of …'], undefined],
    ['a missing line', ['a', 'value 1 of 2'], 'value 1 of 2'],
    ['a line too few', ['a', 'b'], '(nothing after line 2)'],
    ['a line too many', ['a', 'b', 'value 1 of 2', 'c'], 'c'],
    ['a part of a line', ['a', 'b', 'value 1'], 'value 1'],
    ['another order', ['b', 'a', 'value 1 of 2'], 'b'],
    ['signs that mean something in patterns', ['.', 'b', 'value 1 of 2'], '.'],
  ])('compares %s', (_, expected, difference) => {
    expect(firstDifference(expected, ['a', '', '  b', 'value 1 of 2', ''])).toBe(difference);
  });
});

describe('installedPackages', () => {
  it('returns the packages of install commands without flags and versions', () => {
    const blocks = readBlocks('```sh\nnpm install @rxlet/pleg rxjs@7\nnpm i -D @types/node@24\nnpm test\n```\n');
    expect(installedPackages(blocks)).toEqual(['@rxlet/pleg', 'rxjs', '@types/node']);
  });
});
