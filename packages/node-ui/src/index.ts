export { openPageFiles, type PageFile, type PageFiles, PageNotBuiltError } from './files/page-files.ts';
export { PAGE_FOLDER } from './page-folder.ts';
export { nodeUi, type NodeUiOptions } from './node-ui-module.ts';
export {
  createPageServer,
  type PageServer,
  type PageServerOptions,
  type PageServerPorts,
} from './server/page-server.ts';
export type {
  ContainerRow,
  EventRow,
  PodRow,
  StreamChange,
  StreamKind,
  StreamMessage,
  StreamValues,
} from './stream/messages.ts';
export { type PagePanel, pagePanels, type PanelContent, type ShownPanel } from './panels.ts';
