import { registerHooks } from 'node:module';

// The workspace's packages from their sources, as with `--conditions=@rxlet/source`: nothing needs to be built first.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, '@rxlet/source'] }),
});
const { main } = await import('./command-line.ts');
process.exitCode = await main(process.argv.slice(2));
