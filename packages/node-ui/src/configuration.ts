import { type ModuleConfiguration, switchSetting } from '@rxlet/agent-api/configuration';
import { nodeUi, type NodeUiOptions } from './node-ui-module.ts';

/** Setting with the flag `--kubelet-api-ui`: an option that a kubelet does not have. */
const kubeletApiUi = switchSetting('kubeletApiUi', 'serve the page of "rxlet ui" at /ui/ of the kubelet\'s API, too');

/** Configuration of the module `nodeUi`. */
export const nodeUiConfiguration: ModuleConfiguration<NodeUiOptions> = {
  name: 'node-ui',
  settings: [kubeletApiUi],
  defaults: {},
  options: ({ settings }) => ({ onKubeletApi: settings.get(kubeletApiUi) }),
  module: nodeUi,
};
