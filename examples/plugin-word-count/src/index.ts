export { default, type WordCountOptions } from './word-count.ts';
