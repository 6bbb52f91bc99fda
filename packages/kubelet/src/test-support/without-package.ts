import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const [name = ''] = process.argv.slice(2);
const MODULES = new URL('../modules.ts', import.meta.url).href;

/** Deletes the import of the package from the list of modules, and the lines of what it imports. */
function withoutPackage(source: string): string {
  const importOfPackage = new RegExp(`^import \\{ ([\\w, ]+) \\} from '@rxlet/${name}(?:/\\w+)?';\\n`, 'm');
  const [line, names] = importOfPackage.exec(source) ?? [];
  if (line === undefined || names === undefined) throw new Error(`modules.ts does not import @rxlet/${name}`);
  const rest = source.replace(line, '').split('\n');
  return rest.filter((entry) => !names.split(', ').some((imported) => entry === `  ${imported},`)).join('\n');
}

// From here on the process behaves as if the folder of the package were gone.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === `@rxlet/${name}` || specifier.startsWith(`@rxlet/${name}/`))
      throw new Error(`${specifier} is imported by ${context.parentURL ?? 'nobody'}`);
    return nextResolve(specifier, context);
  },
  load(url, context, nextLoad) {
    if (url !== MODULES) return nextLoad(url, context);
    const source = withoutPackage(readFileSync(fileURLToPath(url), 'utf8'));
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
