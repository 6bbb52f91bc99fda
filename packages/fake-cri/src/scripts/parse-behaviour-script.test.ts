import { describe, expect, it } from 'vitest';
import { parseBehaviourScript } from './parse-behaviour-script.ts';

describe('a behaviour script', () => {
  it('is read from YAML', () => {
    const script = parseBehaviourScript(`
runSeconds: 1.5
attempts:
  - exitCode: 1
  - log: [{ text: hello, everySeconds: 5, count: 3, stream: stderr }]
exec:
  - command: [cat, /ready]
    results: [{ exitCode: 1 }, { afterSeconds: 10, stdout: yes, takesSeconds: 2 }]
`);
    expect(script).toEqual({
      runSeconds: 1.5,
      attempts: [{ exitCode: 1 }, { log: [{ text: 'hello', everySeconds: 5, count: 3, stream: 'stderr' }] }],
      exec: [
        {
          command: ['cat', '/ready'],
          results: [{ exitCode: 1 }, { afterSeconds: 10, stdout: 'yes', takesSeconds: 2 }],
        },
      ],
    });
    expect(parseBehaviourScript(script)).toEqual(script);
  });

  it.each([
    ['', /must be a mapping/],
    ['exitCode: 1\nexitcode: 2', 'line 2, column 1: exitcode: unknown field'],
    ['runSeconds: soon', 'line 1, column 13: runSeconds: must be a number from 0 to 315360000'],
    ['attempts:\n  - exitCode: 300', 'line 2, column 15: attempts[0].exitCode: must be a whole number from 0 to 255'],
    ['ignoreSigterm: "yes"', 'line 1, column 16: ignoreSigterm: must be true or false'],
    ['log:\n - everySeconds: 1', 'line 2, column 4: log[0]: "text" is missing'],
    ['log: [{ text: a, stream: both }]', 'log[0].stream: must be one of stdout, stderr'],
    ['log: []', 'log: must have 1 to 1000 items'],
    ['exec:\n  - command: cat\n    results: [{}]', 'line 2, column 14: exec[0].command: must be a list'],
    ['attempts: [{ attempts: [{}] }]', 'attempts[0].attempts: unknown field'],
    [
      'usage:\n - { cpuMillis: 1, memoryBytes: 1, afterSeconds: 5 }\n - { cpuMillis: 1, memoryBytes: 1 }',
      'line 3, column 4: usage[1]: comes before the one above it',
    ],
    ['ports: [{ port: 80 }]', 'ports[0]: "protocol" is missing'],
    ['a: &x 1\nrunSeconds: *x', 'unknown field'],
    ['runSeconds: 1\nrunSeconds: 2', 'line 2, column 1: Map keys must be unique'],
    ['log: [', /^line 1, column \d+: /],
    ['__proto__: { x: 1 }', 'unknown field'],
  ])('is rejected: %j', (yaml, message) => {
    expect(() => parseBehaviourScript(yaml)).toThrow(message);
  });

  it('is rejected without a place when it is an object', () => {
    expect(() => parseBehaviourScript({ exitCode: -1 })).toThrow(/^exitCode: must be a whole number from 0 to 255$/);
  });
});
