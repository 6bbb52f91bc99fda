import { describe, expect, it } from 'vitest';
import type { ExplainedSurvivor } from './explained-survivors.ts';
import { reportOf, type TestedMutant } from './report.ts';

const core = { name: 'core', folder: 'packages/core/src', files: ['a.ts', 'b.ts'], tests: [] };
const source = 'const max = 1;\nif (n <\n  max) run();\n';
const [a, b] = ['packages/core/src/a.ts', 'packages/core/src/b.ts'] as const;

const mutant = (status: string, replacement = 'true', fileName: string = a): TestedMutant => ({
  fileName,
  location: { start: { line: 2, column: 5 }, end: { line: 3, column: 6 } },
  replacement,
  status,
});
const explained = (replacement: string, file: string = a): ExplainedSurvivor => ({
  file,
  original: 'n < max',
  replacement,
  kind: 'equivalent',
  reason: 'for the test',
});

describe('reportOf', () => {
  it('lists the survivors of each file, and the score', () => {
    const mutants = [
      mutant('Killed'),
      mutant('Timeout'),
      mutant('Survived', 'false'),
      mutant('NoCoverage', '{\n  run();\n}', b),
      mutant('RuntimeError', 'n', b),
    ];
    expect(reportOf(core, mutants, () => source, [])).toEqual({
      text: [
        `${a}: 3 mutants, 1 survived`,
        '  2: n < max → false (unexplained)',
        `${b}: 2 mutants, 1 survived`,
        '  2: n < max → { run(); } (no test reaches it)',
        'core: score 50.0 %, 5 mutants, 2 noticed (1 by a time-out), 2 survived (2 unexplained), 1 not run\n',
      ].join('\n'),
      isExplained: false,
    });
  });

  it('names the kind of an explained survivor', () => {
    const { text, isExplained } = reportOf(core, [mutant('Survived')], () => source, [explained('true')]);
    expect(text).toContain('  2: n < max → true (equivalent)\n');
    expect(text).toContain('1 survived (0 unexplained)');
    expect(isExplained).toBe(true);
  });

  it('names an explanation whose mutant no longer survives, of this core only', () => {
    const explanations = [explained('true'), explained('true', 'packages/other/src/a.ts')];
    const { text, isExplained } = reportOf(core, [mutant('Killed')], () => source, explanations);
    expect(text).toContain(`explained, but no longer a survivor: ${a}: n < max → true\n`);
    expect(text).not.toContain('packages/other');
    expect(isExplained).toBe(false);
  });

  it('shortens long mutants, in explanations as well', () => {
    const long = `return ${'x'.repeat(200)}`;
    const shown = `return ${'x'.repeat(153)}…`;
    const { text, isExplained } = reportOf(core, [mutant('Survived', long)], () => source, [explained(shown)]);
    expect(text).toContain(`→ ${shown} (equivalent)`);
    expect(isExplained).toBe(true);
  });
});
