import type { Stage } from './step.ts';

const npm = (script: string, nice = false): { name: string; command: string; nice: boolean } => ({
  name: `npm run ${script}`,
  command: `npm run ${script}`,
  nice,
});

const GENERATED = `npm run generate
if [ -n "$(git status --porcelain -- proto packages docs)" ]; then
  git --no-pager diff --stat -- proto packages docs
  git status --short -- proto packages docs
  echo 'Generated code differs from what is committed: run "npm run generate" and commit the result.' >&2
  exit 1
fi`;

/** Two minutes of seeds that no earlier run had, which may find what was there before the change. Failed seeds are printed; those that ever failed are among the unit tests. */
const SIMULATE = {
  name: 'npm run simulate',
  command:
    'npm run simulate -- --seconds 120 --workload standard --workload cluster --workload extended --workload nodes --keep-going',
  isAdvisory: true,
};

/**
 * Everything that a change must pass. What fails in seconds comes first. Tests on a real runtime wait more than they compute, so that the steps of the
 * packages, which share `dist` folders and therefore form one lane, fit beside them.
 */
export const STAGES: readonly Stage[] = [
  [[{ name: 'npm run generate', command: GENERATED }]],
  [[npm('typecheck'), npm('sync:check')], [npm('lint')]],
  [[{ name: 'npm test', command: 'npm test' }]],
  [[SIMULATE], [{ name: 'npm run simulate -- --self-check', command: 'npm run simulate -- --self-check' }]],
  [
    [npm('test:containerd'), npm('test:containerd-2')],
    [npm('build', true), npm('api:check', true), npm('docs', true), npm('check-tarballs', true)],
  ],
  // Alone: it starts agents on a real runtime, and builds the page of a package.
  [[npm('test:packages')]],
];
