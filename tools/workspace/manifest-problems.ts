import { isBundled, type Manifest } from './workspace-packages.ts';

const CONDITIONS = ['@rxlet/source', 'types', 'default'];

/** Returns the rules of publishing that a package.json breaks. */
export function manifestProblems(manifest: Manifest): string[] {
  const problems: string[] = [];
  const require = (met: boolean, rule: string): void => {
    if (!met) problems.push(rule);
  };
  require(manifest.type === 'module', '"type" must be "module"');
  require(manifest.license === 'Apache-2.0', '"license" must be "Apache-2.0"');
  require(manifest.engines?.['node'] === '>=24', '"engines" must be { "node": ">=24" }');
  require((manifest.description ?? '') !== '', '"description" must be set');
  if (manifest.private === true) return problems;
  require((manifest.keywords ?? []).length > 0, '"keywords" must be set');
  require((manifest.author ?? '') !== '', '"author" must be set');
  require(manifest.publishConfig?.['access'] === 'public', '"publishConfig.access" must be "public"');
  require(manifest.scripts?.['prepack'] ===
    'node ../../tools/publish/prepack.ts', '"scripts.prepack" must be "node ../../tools/publish/prepack.ts"');
  const { exports = {}, files = [] } = manifest;
  require(exports['./package.json'] === './package.json', '"exports" must have "./package.json"');
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    // `default` rather than `import`: Node.js 24 loads ES modules by require() too.
    require(Object.keys(target).join() ===
      CONDITIONS.join(), `"exports" of "${subpath}" must have the conditions ${CONDITIONS.join(', ')}, in this order`);
  }
  require(files.includes('dist'), '"files" must list "dist"');
  if (!isBundled(manifest)) {
    for (const pattern of ['src', '!**/*.test.ts', '!**/test-support*', '!**/*.tsbuildinfo'])
      require(files.includes(pattern), `"files" must list "${pattern}"`);
  } else {
    require(Object.keys(manifest.dependencies ?? {}).length ===
      0, 'a package with commands is published as a bundle: its "dependencies" must be "devDependencies"');
  }
  return problems;
}
