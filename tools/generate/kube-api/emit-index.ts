import { banner, declaredNames, fileOf } from './emit-types.ts';
import type { ApiModel } from './model.ts';
import type { EnumsByField } from './name-enums.ts';

/** Their names stay as they are. A name of another group that several groups use gets its group and version in front. */
const plain = ['core-v1.ts', 'meta-v1.ts', 'apimachinery.ts'];
const printWidth = 120;

/** Returns `src/index.ts`: explicit, type-only re-exports of all declarations of the generated files. */
export function emitIndex(model: ApiModel, enums: EnumsByField): string {
  const files = [...new Set(model.types.map((type) => fileOf(type.packageName)))].sort(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  );
  const uses = new Map<string, number>();
  for (const name of files.flatMap((file) => declaredNames(model, enums, file))) {
    uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  const exported = files.map((file) => {
    const specifiers = declaredNames(model, enums, file).map((name) =>
      uses.get(name) === 1 || plain.includes(file) ? name : `${name} as ${prefixOf(file)}${name}`,
    );
    return emitExport(specifiers, `./gen/${file}`);
  });
  return `${banner(model)}\n${exported.join('')}export type { Mutable } from './mutable.ts';\n`;
}

/** In the layout of prettier: on one line as long as it fits, otherwise a line each. */
function emitExport(specifiers: readonly string[], from: string): string {
  const line = `export type { ${specifiers.join(', ')} } from '${from}';`;
  if (line.length <= printWidth) return `${line}\n`;
  return `export type {\n${specifiers.map((specifier) => `  ${specifier},\n`).join('')}} from '${from}';\n`;
}

function rank(file: string): number {
  const position = plain.indexOf(file);
  return position < 0 ? plain.length : position;
}

/** `authentication-v1.ts` → `AuthenticationV1` */
function prefixOf(file: string): string {
  return file
    .replace('.ts', '')
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
