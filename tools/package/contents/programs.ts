import { type CommandNode, commandTree } from '../../../apps/agent/src/cli/command-tree.ts';
import { completionScript } from '../../../apps/agent/src/commands/completion.ts';
import { createProgram } from '../../../apps/agent/src/program.ts';
import { FLAG_HELP } from '../../../apps/agent/src/config/module-flags.ts';
import { createCommandLine } from '../../../apps/docker-shim/src/flags.ts';
import { createCommandLine as createFleetCommandLine } from '../../../apps/fleet/src/flags.ts';

/** Form in which a program is packaged. */
export type PackageForm = 'deb' | 'image';

/** A program of the workspace that is packaged for machines. */
export interface PackagedProgram {
  /** Name of its packages. */
  readonly name: string;
  /** Folder of its sources, relative to the workspace. */
  readonly folder: string;
  /** Name of the command. */
  readonly command: string;
  readonly forms: readonly PackageForm[];
  /** Flags of Node.js, as the launcher of the command gives them. */
  readonly nodeFlags: readonly string[];
  /** Folders with examples, by their place in those of the package. */
  readonly examples: Readonly<Record<string, string>>;
  /** One line, without an article. */
  readonly summary: string;
  /** Lines of at most 80 characters. */
  readonly description: readonly string[];
  readonly recommends: readonly string[];
  /** Its command line, for man pages. */
  commands(): CommandNode;
  /** Completions of shells, by their places; none when it has no subcommands. */
  completions(): Readonly<Record<string, string>>;
}

const agentCommands = (): CommandNode => commandTree(createProgram([], new AbortController().signal, FLAG_HELP));

export const AGENT: PackagedProgram = {
  name: 'rxlet',
  folder: 'apps/agent',
  command: 'rxlet',
  forms: ['deb', 'image'],
  nodeFlags: ['--disable-sigusr1', '--max-semi-space-size=2'],
  examples: { '': 'examples', workloads: 'workloads' },
  summary: 'Kubernetes node agent',
  description: [
    'rxlet runs the pods of a folder of manifests, and those of a cluster, on a',
    'container runtime, with the rules of the kubelet. The package has the agent,',
    'its command line, a service of systemd and the Node.js that runs them.',
  ],
  recommends: ['containerd | cri-o | docker.io', 'e2fsprogs', 'iptables', 'mount', 'systemd'],
  commands: agentCommands,
  completions: () => ({
    'usr/share/bash-completion/completions/rxlet': completionScript('bash', agentCommands()),
    'usr/share/zsh/vendor-completions/_rxlet': completionScript('zsh', agentCommands()),
    'usr/share/fish/vendor_completions.d/rxlet.fish': completionScript('fish', agentCommands()),
  }),
};

export const DOCKER_SHIM: PackagedProgram = {
  name: 'rxlet-docker-shim',
  folder: 'apps/docker-shim',
  command: 'docker-shim',
  forms: ['deb'],
  nodeFlags: ['--disable-sigusr1'],
  examples: {},
  summary: 'container runtime for Kubernetes on Docker',
  description: [
    'docker-shim serves the Container Runtime Interface (CRI) on a socket and runs',
    'pods on Docker Engine, for a kubelet, rxlet and other tools of the CRI. The',
    'package has a service of systemd and the Node.js that runs it.',
  ],
  recommends: ['docker.io | docker-ce', 'containernetworking-plugins'],
  commands: () => commandTree(createCommandLine()),
  completions: () => ({}),
};

export const FLEET: PackagedProgram = {
  name: 'rxlet-fleet',
  folder: 'apps/fleet',
  command: 'rxlet-fleet',
  forms: ['image'],
  nodeFlags: ['--disable-sigusr1', '--max-semi-space-size=64'],
  examples: {},
  summary: 'simulated nodes for tests of clusters',
  description: [
    'rxlet-fleet runs thousands of Kubernetes nodes in one process, with the agent',
    'of real nodes on simulated machines.',
  ],
  recommends: [],
  commands: () => commandTree(createFleetCommandLine()),
  completions: () => ({}),
};
