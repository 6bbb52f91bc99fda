/** Names that the main entry of a package written by hand may export, so that it reads as a table of contents. */
export const MAX_EXPORTED_NAMES = 40;

/** Packages whose main entry has one name for each type of a published interface definition. */
export const GENERATED_ENTRIES: readonly string[] = ['@rxlet/cri-api', '@rxlet/kube-api'];

/** Returns the names that an entry point exports, by its API report. */
export function exportedNames(report: string): ReadonlySet<string> {
  const declared = report.matchAll(
    /^export (?:declare )?(?:abstract )?(?:class|const|enum|function|interface|namespace|type) (\w+)/gm,
  );
  const listed = [...report.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  const names = listed.map((each) =>
    each
      .trim()
      .replace(/^type /, '')
      .split(/\s+as\s+/)
      .at(-1)!,
  );
  return new Set([...[...declared].map(([, name = '']) => name), ...names.filter((name) => name !== '')]);
}
