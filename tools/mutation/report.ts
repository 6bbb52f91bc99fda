import type { Core } from './cores.ts';
import type { ExplainedSurvivor } from './explained-survivors.ts';

/** Position in a source text; both numbers count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Result of one mutant, as Stryker reports it. */
export interface TestedMutant {
  /** File, from the workspace's root. */
  readonly fileName: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly replacement?: string | undefined;
  readonly status: string;
}

/** Longest text of a mutant in a report. */
const MAX_TEXT = 160;

/**
 * Returns the score and the survivors of a core as text, and whether each survivor is explained. The score is the share of the mutants that a test noticed by failing or by
 * not ending, of all that could be run; mutants that no test reaches count against it.
 */
export function reportOf(
  core: Core,
  mutants: readonly TestedMutant[],
  sourceOf: (file: string) => string,
  explanations: readonly ExplainedSurvivor[],
): { readonly text: string; readonly isExplained: boolean } {
  const count = (...statuses: string[]): number => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  const unused = new Set(explanations.filter(({ file }) => file.startsWith(`${core.folder}/`)));
  const lines: string[] = [];
  let unexplained = 0;
  for (const file of core.files.map((name) => `${core.folder}/${name}`)) {
    const ofFile = mutants.filter(({ fileName }) => fileName === file);
    const survivors = ofFile.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
    lines.push(`${file}: ${String(ofFile.length)} mutants, ${String(survivors.length)} survived`);
    const source = sourceOf(file).split('\n');
    for (const { location, replacement = '', status } of survivors) {
      const original = shortened(textAt(source, location));
      const mutation = shortened(replacement);
      const explanation = explanations.find(
        (known) => known.file === file && known.original === original && known.replacement === mutation,
      );
      if (explanation === undefined) unexplained += 1;
      else unused.delete(explanation);
      const note = explanation?.kind ?? (status === 'NoCoverage' ? 'no test reaches it' : 'unexplained');
      lines.push(`  ${String(location.start.line)}: ${original} → ${mutation} (${note})`);
    }
  }
  for (const { file, original, replacement } of unused) {
    lines.push(`explained, but no longer a survivor: ${file}: ${original} → ${replacement}`);
  }
  const percent = ((100 * noticed) / (noticed + missed)).toFixed(1);
  const timeouts = count('Timeout');
  const errors = mutants.length - noticed - missed;
  lines.push(
    `${core.name}: score ${percent} %, ${String(mutants.length)} mutants, ${String(noticed)} noticed (${String(timeouts)} by a time-out), ` +
      `${String(missed)} survived (${String(unexplained)} unexplained)${errors > 0 ? `, ${String(errors)} not run` : ''}`,
  );
  return { text: `${lines.join('\n')}\n`, isExplained: unexplained === 0 && unused.size === 0 };
}

function textAt(source: readonly string[], { start, end }: TestedMutant['location']): string {
  const lines = source.slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column - 1);
  lines[0] = lines[0]!.slice(start.column - 1);
  return lines.join('\n');
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
