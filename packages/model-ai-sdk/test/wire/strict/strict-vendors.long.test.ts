import { checkRules } from './check-rules.ts';

checkRules('large');
