import type { Command } from 'commander';
import { UsageError } from '../config/config-error.ts';

const PLAY = 'rxlet play FILE';
const EDIT = 'change the file of its manifest, which "rxlet get manifests -o wide" names';
const CLUSTER = 'it concerns the API server of a cluster: use kubectl';

/** Commands of kubectl that an agent does not have, with what does the job. */
const INSTEAD: Readonly<Record<string, string>> = {
  apply: `use ${PLAY} --replace, or write the manifest into the agent's folder`,
  create: `use ${PLAY}, or write the manifest into the agent's folder`,
  replace: `use ${PLAY} --replace`,
  delete: `use ${PLAY} --down, or remove the file of its manifest, which "rxlet get manifests -o wide" names`,
  edit: EDIT,
  patch: EDIT,
  set: EDIT,
  label: EDIT,
  annotate: EDIT,
  scale: 'an agent runs one pod of a template: write a manifest for each further one',
  autoscale: 'an agent runs one pod of a template: write a manifest for each further one',
  rollout: 'use rxlet restart POD, or change the manifest',
  expose: 'a pod of an agent has no Service: use hostPort, or rxlet port-forward',
  cordon: 'use rxlet drain, which also ends the pods',
  uncordon: 'use rxlet drain --cancel',
  taint: CLUSTER,
  auth: CLUSTER,
  certificate: CLUSTER,
  'cluster-info': 'use rxlet get node, or rxlet version',
  config: 'choose the agent with --root-dir, or with the variable RXLET_ROOT',
  'api-resources': 'an agent has pods, events, nodes and manifests: see rxlet get --help',
  'api-versions': 'an agent has v1 and rxlet.dev/v1: see rxlet get --help',
  proxy: "use rxlet ui, or curl --unix-socket with the agent's rxlet.sock",
  diff: `look at "rxlet get pod NAME -o yaml", and use ${PLAY} --replace`,
  kustomize: `use kubectl kustomize, and ${PLAY} on its output`,
};

/** Adds the commands of kubectl that an agent does not have: each ends with what to use instead. */
export function addInsteadCommands(program: Command): void {
  for (const [name, instead] of Object.entries(INSTEAD)) {
    program
      .command(name, { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new UsageError(`there is no "rxlet ${name}": ${instead}`);
      });
  }
}
