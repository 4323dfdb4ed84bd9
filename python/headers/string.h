/* cffi needs nothing of it: functions with a body are taken out */
