export { contributionsTo } from './testing/contributions-to.ts';
