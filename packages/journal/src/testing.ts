import { type Life } from './model/life.ts';

/** Returns what is wrong with lives: spans that do not nest, lives that are there twice. Empty when nothing is. */
export function lifeProblems(lives: readonly Life[]): readonly string[] {
  const ids = lives.map(({ id }) => id);
  const open = lives.filter(({ endMs }) => endMs === undefined).map(({ uid }) => uid);
  return [
    ...duplicates(ids).map((id) => `life ${id} is there twice`),
    ...duplicates(open).map((uid) => `pod ${uid} has two open lives`),
    ...lives.flatMap(nestingProblems),
  ];
}

function nestingProblems({ id: lifeId, spans }: Life): readonly string[] {
  const seen = new Map<string, (typeof spans)[number]>();
  return spans.flatMap((span, index) => {
    const { id, parentId, kind, startMs, endMs } = span;
    const problems: string[] = [];
    const report = (what: string): void => void problems.push(`life ${lifeId}: span ${id} (${kind}) ${what}`);
    if (seen.has(id)) report('is there twice');
    const parent = parentId === undefined ? undefined : seen.get(parentId);
    if (index === 0 ? parentId !== undefined : parent === undefined) report('has no span around it');
    if (endMs !== undefined && endMs < startMs) report('ends before it begins');
    if (parent !== undefined) {
      if (startMs < parent.startMs) report('begins before the span around it');
      if (parent.endMs !== undefined && (endMs === undefined || endMs > parent.endMs))
        report('ends after the span around it');
    }
    seen.set(id, span);
    return problems;
  });
}

function duplicates(values: readonly string[]): readonly string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
