import { nodes } from '../resources/nodes.ts';
import type { CommandContext } from './command-context.ts';
import { AgentConnectionError } from './agent-connection.ts';
import { objectsOf } from './get-resources.ts';

/** Runs `rxlet version`: prints the version of the program and, with a `context`, what the running agent is and speaks. An agent that does not answer is a notice. */
export async function printVersion(
  context: CommandContext | undefined,
  print: (text: string) => void,
  { version, isJson }: { readonly version: string; readonly isJson: boolean },
): Promise<void> {
  const clientVersion = version.replace(/^rxlet /, '');
  let node: { readonly name: string; readonly kubernetesVersion: string; readonly runtime: string } | undefined;
  let notice: string | undefined;
  try {
    const [found] = context === undefined ? [] : await objectsOf(context.connection, nodes, context.terminal.signal);
    const { kubeletVersion = '', containerRuntimeVersion = '' } = found?.status?.nodeInfo ?? {};
    if (found !== undefined)
      node = { name: found.metadata?.name ?? '', kubernetesVersion: kubeletVersion, runtime: containerRuntimeVersion };
  } catch (error) {
    if (!(error instanceof AgentConnectionError)) throw error;
    notice = error.message;
  }
  const lines = isJson
    ? [JSON.stringify({ clientVersion, ...(node !== undefined && { node }) }, undefined, 2)]
    : [
        `Client Version: ${clientVersion}`,
        ...(node === undefined
          ? []
          : [`Node: ${node.name}`, `Kubernetes Version: ${node.kubernetesVersion}`, `Runtime: ${node.runtime}`]),
      ];
  print(lines.join('\n'));
  if (notice !== undefined) context?.terminal.printError(notice);
}
