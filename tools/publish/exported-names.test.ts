import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportedNames, GENERATED_ENTRIES, MAX_EXPORTED_NAMES } from './exported-names.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { isBundled, readWorkspacePackages } from '../workspace/workspace-packages.ts';

const packages = readWorkspacePackages().filter(
  ({ manifest }) => !isBundled(manifest) && manifest.private !== true && !GENERATED_ENTRIES.includes(manifest.name),
);

describe('a main entry', () => {
  it.each(packages.map(({ folder }) => folder))(
    `exports at most ${String(MAX_EXPORTED_NAMES)} names in %s`,
    (folder) => {
      const name = folder.split('/').at(-1)!;
      const names = exportedNames(readFileSync(join(workspaceRoot, folder, 'api', `${name}.api.md`), 'utf8'));
      expect(names.size).toBeGreaterThan(0);
      expect(names.size, [...names].join(' ')).toBeLessThanOrEqual(MAX_EXPORTED_NAMES);
    },
  );
});

describe('exportedNames', () => {
  it('counts declarations once, and names of export lists', () => {
    const report = `
export interface Pod {
}
export function find(pod: Pod): Pod;
export function find(name: string): Pod;
export const none: Pod;
interface Hidden {
}
export { Port }
export { Other as Renamed, type Third }
`;
    expect([...exportedNames(report)]).toEqual(['Pod', 'find', 'none', 'Port', 'Renamed', 'Third']);
  });
});
