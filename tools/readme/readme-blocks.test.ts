import { describe, expect, it } from 'vitest';
import { firstMissing, readBlocks, readCommands } from './readme-blocks.ts';

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

  it('refuses a block without an end', () => {
    expect(() => readBlocks('\n```ts\ncode\n')).toThrow('line 2');
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

describe('firstMissing', () => {
  it.each<[string, string[], string | undefined]>([
    ['all, with others between', ['a', 'c'], undefined],
    ['parts of lines', ['lue 1'], undefined],
    ['nothing', [], undefined],
    ['the wrong order', ['c', 'a'], 'a'],
    ['a line twice that is there once', ['b', 'b'], 'b'],
    ['what is not there', ['a', 'x'], 'x'],
    ['something that varies', ['value … of …'], undefined],
    ['something that varies otherwise', ['value … from …'], 'value … from …'],
    ['signs that mean something in patterns', ['b.*'], 'b.*'],
  ])('looks for %s', (_, expected, missing) => {
    expect(firstMissing(expected, ['a', 'b', 'value 1 of 2', 'c'])).toBe(missing);
  });
});
