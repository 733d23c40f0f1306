static int evil(int n) /* </script><script>window.pwned = 1</script><img src=x onerror="window.pwned=2"> <!--<script> */
{
	const char *text = "\"'`${window.pwned=3}\u2028</pre>";
	return n > 2 ? text[0] : n; // &lt; &amp;
}
