export { contributionsTo } from './testing/contributions-to.ts';
export { createModuleContext, type ModuleContextOptions } from './testing/module-context.ts';
export { createNodeConfiguration, settingValues } from './testing/node-configuration.ts';
