import { testEverySecondProof } from './support/quick-form.js';

testEverySecondProof(0);
